import type { Step } from './tokenizer-definition.ts';

// How the words of a text are cut before BPE, by the names that GGUF files give (`tokenizer.ggml.pre`). The patterns are
// those of llama.cpp's src/llama-vocab.cpp (llm_tokenizer_bpe and llama_vocab::impl::load), so that a text has the
// tokens here that it has when the model answers.

const GPT2 = String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)`;
const CONTRACTION = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])";
const AFTER_NUMBERS = String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
const LLAMA3 = String.raw`${CONTRACTION}|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|${AFTER_NUMBERS}`;
const QWEN2 = String.raw`${CONTRACTION}|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|${AFTER_NUMBERS}`;
const EACH_DIGIT = String.raw`\p{N}`;
const DEFAULT = [String.raw`[\p{P}\$\+<=>\^~\|]+`, GPT2, String.raw`\p{N}+`, '[0-9][0-9][0-9]'];

interface PreTokenizer {
  /** Applied one after the other to the pieces of the one before. */
  patterns: string[];
  /** A word that is a token as a whole is that token, whatever the merges say. */
  ignoreMerges: boolean;
}

const BY_NAME: Record<string, PreTokenizer> = {
  default: { patterns: DEFAULT, ignoreMerges: false },
  'gpt-2': { patterns: [GPT2], ignoreMerges: false },
  olmo: { patterns: [GPT2], ignoreMerges: false },
  smollm: { patterns: [EACH_DIGIT, GPT2], ignoreMerges: false },
  starcoder: { patterns: [EACH_DIGIT, GPT2], ignoreMerges: false },
  refact: { patterns: [EACH_DIGIT, GPT2], ignoreMerges: false },
  qwen2: { patterns: [QWEN2], ignoreMerges: false },
  'deepseek-r1-qwen': { patterns: [QWEN2], ignoreMerges: false },
  'smaug-bpe': { patterns: [LLAMA3], ignoreMerges: false },
  'llama-bpe': { patterns: [LLAMA3], ignoreMerges: true },
  llama3: { patterns: [LLAMA3], ignoreMerges: true },
  'llama-v3': { patterns: [LLAMA3], ignoreMerges: true },
};

/** The names that are known, for messages. */
export const PRE_TOKENIZERS: readonly string[] = Object.keys(BY_NAME);

/** The steps, in tokenizer.json's words, and BPE's option that belong to a name; null for an unknown one. */
export function preTokenizer(name: string): { step: Step; ignoreMerges: boolean } | null {
  const known = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
  if (known === undefined) return null;
  const splits = known.patterns.map((pattern) => splitStep(pattern));
  return { step: { type: 'Sequence', pretokenizers: [...splits, BYTE_LEVEL] }, ignoreMerges: known.ignoreMerges };
}

/** Turns a word into the characters of its bytes, without splitting it. */
export const BYTE_LEVEL: Step = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };

/** The step that cuts where the pattern matches and keeps what lies between. */
function splitStep(pattern: string): Step {
  return { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false };
}

/** What a byte-level step with its own pattern does before it turns words into bytes. */
export const GPT2_SPLIT: Step = splitStep(GPT2);
