import { AppError } from '../../../src/protocol/errors.ts';

// One function per error that a user is told about a tokenizer, a chat template or training data.

/** @param wanted the file or the field that is not there */
export function tokenizerMissing(model: string, wanted: string): AppError {
  const message = `${model} has no tokenizer: ${wanted} is not there. Copy it from where the model comes from.`;
  return new AppError('tokenizer_missing', message, { model, wanted });
}

/** @param reason what is wrong in it, a phrase. */
export function tokenizerUnreadable(file: string, reason: string): AppError {
  const message = `The tokenizer in ${file} cannot be used: ${reason}. Copy or download the file again.`;
  return new AppError('tokenizer_unreadable', message, { file, reason });
}

/** @param kind what the file says it has. */
export function tokenizerUnsupported(file: string, kind: string): AppError {
  const message =
    `The tokenizer of ${file} is of a kind that is not known here: ${kind}. ` +
    'Byte-level BPE is (Qwen, Llama 3, SmolLM2); take a model with such a tokenizer.';
  return new AppError('tokenizer_unsupported', message, { file, kind });
}

/** The tokenizer gives a token that the model has no embedding of. */
export function tokenizerMismatch(model: string, token: number, vocab: number): AppError {
  const message =
    `The tokenizer of ${model} writes this data with token ${token}, and the model knows ${vocab}, numbered from 0: ` +
    'the tokenizer belongs to another model. Copy the files of tokenizer and weights from one place.';
  return new AppError('tokenizer_mismatch', message, { model, token, vocab });
}

/** Neither a template nor the tokens of ChatML. */
export function templateMissing(file: string): AppError {
  const message =
    `${file} has no chat template and no <|im_start|> and <|im_end|> tokens, so it is not known how its turns are written. ` +
    'Take the instruction-tuned form of the model, or put a chat_template.jinja into its folder.';
  return new AppError('template_missing', message, { file });
}

/** @param reason the template engine's own words. */
export function templateBroken(file: string, reason: string): AppError {
  const message = `The chat template of ${file} cannot be used: ${reason}. Copy or download the model's files again.`;
  return new AppError('template_broken', message, { file, reason });
}

/** There is no file at the path. */
export function dataMissing(file: string): AppError {
  return new AppError('data_missing', `There is no file ${file}. Check the path of the training data.`, { file });
}

/** @param reason the system's or the decompressor's own words. */
export function dataUnreadable(file: string, reason: string): AppError {
  const message = `The training data ${file} cannot be read: ${reason}. Check the file, or make it again.`;
  return new AppError('data_unreadable', message, { file, reason });
}

/** The file has no line but blank ones. */
export function dataEmpty(file: string): AppError {
  const message = `The training data ${file} holds no example. Write one JSON object a line: {"messages": […]} or {"user": …, "sql": …}.`;
  return new AppError('data_empty', message, { file });
}

/** What is wrong in a line of training data. */
export interface DataProblem {
  /** From 1. */
  line: number;
  /** The field, e.g. `messages[1].role`; empty where the line as a whole is meant. */
  field: string;
  problem: string;
}

/** Said where lines lack what every line has. */
const FORM = [
  'A line is {"system": …, "user": …, "sql": …} or {"messages": […]}. Of questions with their SQL and databases',
  '"sql-agent dataset pairs" makes such a file.',
];

/** @param problems the first ones. @param count of all bad lines. */
export function dataInvalid(file: string, problems: readonly DataProblem[], count: number): AppError {
  const list = problems.map(({ line, field, problem }) => `  line ${line}${field && `, ${field}`}: ${problem}`);
  const more = count > problems.length ? [`  and ${count - problems.length} more`] : [];
  const isOther = problems.some(
    ({ field, problem }) => ['user', 'sql', 'messages'].includes(field) && problem === 'is missing',
  );
  const message = [
    `The training data ${file} has ${count} bad ${count === 1 ? 'line' : 'lines'}; nothing was trained. Put right:`,
    ...list,
    ...more,
    ...(isOther ? FORM : []),
  ].join('\n');
  return new AppError('data_invalid', message, { file, count, problems });
}

/** Every example is longer than allowed. */
export function dataAllTooLong(file: string, maxLength: number, shortest: number): AppError {
  const message =
    `Every example of ${file} is longer than ${maxLength} tokens (the shortest has ${shortest}). ` +
    'Raise max_length, or shorten the prompts.';
  return new AppError('data_all_too_long', message, { file, maxLength, shortest });
}

/** @param tokens rows that the longest example needs */
export function exampleExceedsPack(tokens: number, packTokens: number): AppError {
  const message =
    `An example of ${tokens} tokens does not fit into a pack of ${packTokens}. ` +
    'Raise pack_tokens to at least max_length, or lower max_length.';
  return new AppError('example_exceeds_pack', message, { tokens, packTokens });
}
