import * as z from 'zod/mini';
import { AskEvent, AskResult, ModelInfo, Previous, Protocol } from '../protocol/ask.ts';
import { Linked } from '../protocol/catalog.ts';
import { WireError } from '../protocol/errors.ts';
import { JsonQueryResult } from '../protocol/query.ts';

/** Version of the format. A reader refuses others. */
export const TRANSCRIPT_VERSION = 1;

const ChatMessage = z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() });

const ChatRequest = z.object({
  messages: z.array(ChatMessage),
  stablePrefix: z.number(),
  prefixKey: z.nullable(z.string()),
  temperature: z.number(),
  seed: z.nullable(z.number()),
  maxTokens: z.number(),
});

/** The effects that are answered by the world; events are not, and are told again by a replay. */
const Effect = z.union([
  z.object({ type: z.literal('chat'), turn: z.number(), request: ChatRequest }),
  z.object({ type: z.literal('query'), turn: z.number(), sql: z.string() }),
  z.object({ type: z.literal('tables'), names: z.array(z.string()) }),
]);

const Input = z.union([
  z.object({
    type: z.literal('reply'),
    reply: z.object({
      text: z.string(),
      promptTokens: z.nullable(z.number()),
      completionTokens: z.nullable(z.number()),
      finish: z.enum(['stop', 'length']),
    }),
    ms: z.number(),
  }),
  z.object({ type: z.literal('chat_failed'), error: WireError, text: z.string(), ms: z.number() }),
  z.object({ type: z.literal('cancelled'), text: z.string(), ms: z.number() }),
  z.object({ type: z.literal('result'), result: JsonQueryResult, hints: z.array(z.string()), ms: z.number() }),
  z.object({
    type: z.literal('tables'),
    tables: z.array(
      z.object({
        asked: z.string(),
        found: z.nullable(z.object({ name: z.string(), ddl: z.string() })),
        similar: z.array(z.string()),
      }),
    ),
  }),
]);

const Setup = z.object({
  protocol: Protocol,
  model: ModelInfo,
  question: z.string(),
  evidence: z.string(),
  previous: z.nullable(Previous),
  prompt: z.object({
    system: z.string(),
    user: z.string(),
    stablePrefix: z.number(),
    prefixKey: z.nullable(z.string()),
  }),
  linked: Linked,
  samples: z.number(),
  retries: z.optional(z.number()),
  repair: z.optional(z.boolean()),
  turns: z.number(),
  maxTokens: z.number(),
});

/** One line of a transcript. */
export const TranscriptLine = z.union([
  z.object({
    type: z.literal('ask'),
    version: z.number(),
    id: z.string(),
    /** ISO 8601, UTC. */
    time: z.string(),
    db: z.string(),
    /** What was asked for, as `AskRequest`. */
    request: z.record(z.string(), z.unknown()),
    model: ModelInfo,
  }),
  /** An event before the agent began. */
  z.object({ type: z.literal('event'), event: AskEvent }),
  z.object({ type: z.literal('setup'), setup: Setup, notes: z.array(z.string()) }),
  /** What the agent wanted, the phases and tokens meanwhile, and what it was answered. */
  z.object({ type: z.literal('step'), effect: Effect, progress: z.array(AskEvent), input: Input }),
  z.object({ type: z.literal('result'), result: AskResult }),
  z.object({ type: z.literal('failed'), progress: z.array(AskEvent), error: WireError }),
]);
export type TranscriptLine = z.infer<typeof TranscriptLine>;
