import * as z from 'zod/mini';
import { WireError } from './errors.ts';

/** What a model child is started for; sent once, first. All paths are absolute. */
export const ModelLoad = z.object({
  type: z.literal('load'),
  name: z.string(),
  base: z.string(),
  adapter: z.string(),
  /** Names base and adapter, e.g. their SHA-256: states of other weights are never loaded. */
  weights: z.string(),
  /** Most tokens of prompt and answer together. */
  contextTokens: z.number(),
  /** Memory of a context for one token. */
  stateBytesPerToken: z.number(),
  /** Tokens of a prompt evaluated between two looks at a cancellation. */
  chunkTokens: z.number(),
  /** Folder for states after a schema; null: they are kept in memory only. */
  states: z.nullable(z.object({ folder: z.string(), maxBytes: z.number() })),
});
export type ModelLoad = z.infer<typeof ModelLoad>;

export const ModelChat = z.object({
  type: z.literal('chat'),
  id: z.number(),
  messages: z.array(z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() })),
  stablePrefix: z.number(),
  /** Whether the state after the stable prefix is kept on disk too. */
  keepState: z.boolean(),
  temperature: z.number(),
  seed: z.nullable(z.number()),
  maxTokens: z.number(),
});
export type ModelChat = z.infer<typeof ModelChat>;

/** Parent to child. */
export const ModelRequest = z.discriminatedUnion('type', [
  ModelLoad,
  ModelChat,
  z.object({ type: z.literal('cancel'), id: z.number() }),
  /** Asks what the engine is, without a model; answered by `engine`. */
  z.object({ type: z.literal('probe') }),
]);
export type ModelRequest = z.infer<typeof ModelRequest>;

/** What a chat took. Times are wall clock, in milliseconds. */
export const ModelTimings = z.object({
  promptTokens: z.number(),
  /** Tokens of the prompt that had to be evaluated; the others came from a kept state. */
  readTokens: z.number(),
  readMs: z.number(),
  writtenTokens: z.number(),
  writeMs: z.number(),
  /** Where the kept part of the state came from. */
  state: z.enum(['none', 'memory', 'disk']),
});
export type ModelTimings = z.infer<typeof ModelTimings>;

/** The engine that runs local models, as it is on this machine. */
export const EngineInfo = z.object({
  version: z.string(),
  /** The GPU interface in use, null on the CPU. */
  gpu: z.nullable(z.string()),
  gpuNames: z.array(z.string()),
  cpuCores: z.number(),
});
export type EngineInfo = z.infer<typeof EngineInfo>;

/** Child to parent. */
export const ModelEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('loaded'),
    /** The GPU interface in use, null on the CPU. */
    gpu: z.nullable(z.string()),
    threads: z.number(),
    ms: z.number(),
  }),
  z.object({ type: z.literal('engine'), info: EngineInfo }),
  z.object({ type: z.literal('reading'), id: z.number(), promptTokens: z.number(), readTokens: z.number() }),
  z.object({ type: z.literal('writing'), id: z.number() }),
  z.object({ type: z.literal('text'), id: z.number(), text: z.string() }),
  z.object({
    type: z.literal('done'),
    id: z.number(),
    text: z.string(),
    finish: z.enum(['stop', 'length']),
    timings: ModelTimings,
  }),
  /** `id` null: loading failed, and the child ends. */
  z.object({ type: z.literal('failed'), id: z.nullable(z.number()), error: WireError }),
]);
export type ModelEvent = z.infer<typeof ModelEvent>;
