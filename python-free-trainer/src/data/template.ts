import { Template } from '@huggingface/jinja';
import { templateBroken, templateMissing } from './errors.ts';
import type { Tokenizer } from './tokenizer.ts';

/** A turn of a conversation. */
export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  /** false: an assistant's turn that carries no loss. */
  train?: boolean | undefined;
}

/** What a model reads and what it is to write then. */
export interface RenderedTurn {
  prompt: string;
  /** The answer up to and including the token that ends the turn. */
  answer: string;
}

/** How a model's turns are written. */
export interface ChatTemplate {
  /** What a user should know about it. */
  readonly notes: readonly string[];
  /**
   * The assistant's turn at this place, as the model meets it when it answers: the prompt is what the template gives for
   * the turns before it with its generation prompt, thinking switched off where the model can be told so, and on where
   * the turn itself holds thoughts. The answer is the template's own text of the turn where that goes on from the
   * prompt; some templates write a past turn otherwise than they ask for one, and then it is the content and the end.
   * @throws Error with the template's own words where it refuses the conversation
   */
  turn(messages: readonly Message[], index: number): RenderedTurn;
}

/** For a vocabulary with ChatML's tokens whose model has no template. */
const CHATML =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

/** Some templates write the day of today, and training data cannot depend on it: Llama 3's own date for want of another. */
const DAY = '26 Jul 2024';
/** Goes before a template that asks for the day by transformers' `strftime_now`. A block swallows the newline behind it. */
const NO_CLOCK = `{% macro strftime_now(format) %}${DAY}{% endmacro %}\n`;

/** Stands for an answer while it is found out how a turn ends. */
const PROBE = 'PROBE';

/**
 * The chat template of a model; ChatML for a model without one whose vocabulary has its tokens.
 * @throws AppError `template_missing`, `template_broken`
 */
export function openTemplate(tokenizer: Tokenizer): ChatTemplate {
  const { file, chatTemplate, bos, eos, pad, unknown } = tokenizer.definition;
  const hasChatml = tokenizer.special.has('<|im_start|>') && tokenizer.special.has('<|im_end|>');
  if (chatTemplate === null && !hasChatml) throw templateMissing(file);
  const tokens = { bos_token: bos ?? '', eos_token: eos ?? '', pad_token: pad ?? '', unk_token: unknown ?? '' };
  const template = compile(chatTemplate ?? CHATML, file);
  const render = (messages: readonly Message[], generationPrompt: boolean, thinking: boolean) =>
    template.render({
      ...tokens,
      messages: messages.map(({ role, content }) => ({ role, content })),
      add_generation_prompt: generationPrompt,
      enable_thinking: thinking,
      date_string: DAY,
    });
  const cut = (text: string) => afterFirst(text, tokenizer.special.keys());
  const stop = eos !== null && tokenizer.special.has(eos) ? eos : null;
  const ending = findEnding(render, cut, stop, file);
  return {
    notes:
      chatTemplate === null
        ? [`${file} has no chat template; its turns are written as ChatML, whose tokens it has.`]
        : [],
    turn(messages, index) {
      const content = messages[index]?.content ?? '';
      const thinking = content.includes('</think>');
      const prompt = render(messages.slice(0, index), true, thinking);
      const whole = render(messages.slice(0, index + 1), false, thinking);
      const answer = whole.startsWith(prompt) ? whole.slice(prompt.length) : null;
      if (answer === null) return { prompt, answer: content + ending };
      // What the template writes before the content is no end. A template may also have rewritten the content.
      const place = answer.indexOf(content.trim());
      const behind = place < 0 ? 0 : place + content.trim().length;
      const end = cut(answer.slice(behind));
      return { prompt, answer: end === null ? content + ending : answer.slice(0, behind) + end };
    },
  };
}

function compile(source: string, file: string): Template {
  try {
    return new Template(NO_CLOCK + source);
  } catch (error) {
    throw templateBroken(file, error instanceof Error ? error.message : String(error));
  }
}

/** What stands behind an answer up to the token that ends the turn; where the template writes none, the end of text. */
function findEnding(
  render: (messages: readonly Message[], generationPrompt: boolean, thinking: boolean) => string,
  cut: (text: string) => string | null,
  stop: string | null,
  file: string,
): string {
  let whole: string;
  try {
    whole = render(
      [
        { role: 'user', content: 'question' },
        { role: 'assistant', content: PROBE },
      ],
      false,
      false,
    );
  } catch (error) {
    throw templateBroken(file, error instanceof Error ? error.message : String(error));
  }
  const place = whole.lastIndexOf(PROBE);
  if (place < 0) throw templateBroken(file, "it leaves out the assistant's turn");
  const ending = cut(whole.slice(place + PROBE.length)) ?? stop;
  if (ending === null) throw templateBroken(file, 'it ends a turn with no token by which the model could stop');
  return ending;
}

/** The text up to and including the first of these that stands in it; null where none does. */
function afterFirst(text: string, needles: Iterable<string>): string | null {
  let end = Number.POSITIVE_INFINITY;
  let first = Number.POSITIVE_INFINITY;
  for (const needle of needles) {
    const place = text.indexOf(needle);
    if (place < 0 || place > first || (place === first && place + needle.length < end)) continue;
    first = place;
    end = place + needle.length;
  }
  return first === Number.POSITIVE_INFINITY ? null : text.slice(0, end);
}
