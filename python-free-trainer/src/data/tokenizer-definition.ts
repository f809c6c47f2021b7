import * as z from 'zod/mini';
import { BYTE_CHARACTERS, isTextByte } from './byte-characters.ts';
import { tokenizerUnreadable, tokenizerUnsupported } from './errors.ts';

/** A token that is found in the text before it is split into words. */
const AddedToken = z.object({
  id: z.int(),
  content: z.string().check(z.minLength(1)),
  special: z.optional(z.boolean()),
  normalized: z.optional(z.boolean()),
  lstrip: z.optional(z.boolean()),
  rstrip: z.optional(z.boolean()),
});
export type AddedToken = z.infer<typeof AddedToken>;

/** A step of normalising or splitting, in tokenizer.json's words. */
const Step = z.looseObject({ type: z.string() });
export type Step = z.infer<typeof Step>;

/** The parts of a `tokenizer.json` that encoding and decoding depend on; a GGUF file's vocabulary is brought into this form. */
const TokenizerJson = z.object({
  added_tokens: z._default(z.array(AddedToken), []),
  normalizer: z._default(z.nullable(Step), null),
  pre_tokenizer: z._default(z.nullable(Step), null),
  decoder: z._default(z.nullable(Step), null),
  model: z.looseObject({
    type: z.optional(z.string()),
    // Hundreds of thousands of entries, which are checked in one go below.
    vocab: z.custom<Record<string, number>>((value) => isObject(value), 'is no table of ids by token'),
    merges: z.custom<(string | [string, string])[]>((value) => Array.isArray(value), 'is no list'),
    ignore_merges: z.optional(z.boolean()),
    byte_fallback: z.optional(z.boolean()),
  }),
});
export type TokenizerJson = z.infer<typeof TokenizerJson>;

/** What a model's files say about its tokens. */
export interface TokenizerDefinition {
  /** For messages: the file or folder. */
  file: string;
  json: TokenizerJson;
  /** Jinja source; null where the model has none. */
  chatTemplate: string | null;
  /** The texts of these tokens, null where there is none. */
  bos: string | null;
  eos: string | null;
  pad: string | null;
  unknown: string | null;
  /** SHA-256 of all of it. */
  hash: string;
}

/**
 * A tokenizer's JSON, checked as a whole: a damaged vocabulary shows by merges whose parts or products are missing, by
 * ids that stand twice, and by bytes that no token stands for.
 * @throws AppError `tokenizer_unreadable`, `tokenizer_unsupported`
 */
export function parseTokenizerJson(value: unknown, file: string): TokenizerJson {
  const model: unknown = value !== null && typeof value === 'object' && 'model' in value ? value.model : null;
  if (model !== null && typeof model === 'object' && 'type' in model && typeof model.type === 'string')
    if (model.type !== 'BPE') throw tokenizerUnsupported(file, model.type);
  const parsed = TokenizerJson.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw tokenizerUnreadable(file, `${issue?.path.join('.')}: ${issue?.message}`);
  }
  const json = parsed.data;
  const kind = unsupportedStep(json);
  if (kind !== null) throw tokenizerUnsupported(file, kind);
  const problem = vocabularyProblem(json);
  if (problem !== null) throw tokenizerUnreadable(file, problem);
  return json;
}

/** Only what byte-level BPE is made of is taken; whatever else a file asks for would be left out without a word. */
function unsupportedStep({ pre_tokenizer: split, normalizer }: TokenizerJson): string | null {
  const steps = stepsOf(split);
  const last = steps.pop();
  if (last?.type !== 'ByteLevel') return 'BPE that is not byte-level';
  if (last['add_prefix_space'] === true) return 'it puts a space before the text';
  for (const step of steps)
    if (step.type !== 'Digits' && !PlainSplit.safeParse(step).success)
      return `it cuts texts by ${JSON.stringify(step).slice(0, 200)}`;
  const forms = stepsOf(normalizer).filter(({ type }) => !UNICODE_FORMS.includes(type));
  return forms[0] === undefined ? null : `it changes texts by ${JSON.stringify(forms[0]).slice(0, 200)}`;
}

const UNICODE_FORMS: readonly string[] = ['NFC', 'NFD', 'NFKC', 'NFKD'];

/** A cut at each match of a pattern, which becomes a word, as does what lies between. */
const PlainSplit = z.looseObject({
  type: z.literal('Split'),
  pattern: z.union([z.object({ Regex: z.string() }), z.object({ String: z.string() })]),
  behavior: z.literal('Isolated'),
  invert: z.optional(z.literal(false)),
});

/** The steps of a normalizer or pre-tokenizer, those of a sequence one after the other. */
export function stepsOf(step: Step | null): Step[] {
  if (step === null) return [];
  if (step.type !== 'Sequence') return [step];
  const inner = z.array(Step).safeParse(step['pretokenizers'] ?? step['normalizers']);
  return inner.success ? inner.data.flatMap(stepsOf) : [{ type: 'Sequence' }];
}

function vocabularyProblem({ model, added_tokens: added }: TokenizerJson): string | null {
  const tokenOf: (string | undefined)[] = [];
  const known = new Set<string>();
  for (const token of Object.keys(model.vocab)) {
    const problem = idProblem(tokenOf, token, model.vocab[token]);
    if (problem !== null) return problem;
    known.add(token);
  }
  for (const { content, id } of added) {
    const problem = idProblem(tokenOf, content, id);
    if (problem !== null) return problem;
  }
  const missing = BYTE_CHARACTERS.find((character, byte) => isTextByte(byte) && !known.has(character));
  if (missing !== undefined) return `there is no token for the byte ${JSON.stringify(missing)}`;
  for (const merge of model.merges) {
    const [left, right, more]: unknown[] =
      typeof merge === 'string' ? merge.split(' ') : Array.isArray(merge) ? merge : [];
    if (typeof left !== 'string' || typeof right !== 'string' || more !== undefined)
      return `the merge ${JSON.stringify(merge)} does not name two tokens`;
    for (const token of [left, right, left + right])
      if (!known.has(token))
        return `the merge ${JSON.stringify(merge)} needs the token ${JSON.stringify(token)}, which is missing`;
  }
  return null;
}

/** Notes the id of a token, or says why it cannot have it. */
function idProblem(tokenOf: (string | undefined)[], token: string, id: unknown): string | null {
  if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id > MOST_TOKENS)
    return `the token ${JSON.stringify(token)} has the id ${JSON.stringify(id)}`;
  const other = tokenOf[id];
  if (other !== undefined && other !== token)
    return `the tokens ${JSON.stringify(other)} and ${JSON.stringify(token)} have one id, ${id}`;
  tokenOf[id] = token;
  return null;
}

function isObject(value: unknown): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Far above any vocabulary. */
const MOST_TOKENS = 4_000_000;
