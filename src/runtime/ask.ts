import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { agent } from '../core/agent/agent.ts';
import { drive, performer } from '../core/agent/perform.ts';
import { resultOf } from '../core/agent/result.ts';
import type { AgentSetup } from '../core/agent/setup.ts';
import type { CancelSignal, Clock, Provider } from '../core/ports.ts';
import type { AskEvent, AskResult } from '../protocol/ask.ts';
import { AppError, toWireError } from '../protocol/errors.ts';
import { type Prepared, prepareAsk } from './ask-prepare.ts';
import type { AskRequest } from './ask-request.ts';
import type { Engine } from './engine.ts';
import { TRANSCRIPT_VERSION } from './transcript.ts';
import { pruneTranscripts, TranscriptWriter, transcriptPath } from './transcript-writer.ts';

const clock: Clock = { now: () => performance.now() };

/** The result of a question that was cancelled before the agent began. */
function cancelledResult(request: AskRequest, provider: Provider): AskResult {
  const setup: AgentSetup = {
    protocol: provider.protocol,
    model: provider.model,
    question: request.question,
    evidence: request.evidence,
    previous: request.previous,
    prompt: { system: '', user: '', stablePrefix: 0, prefixKey: null },
    linked: { mode: request.link, kept: [], left: [], scores: {} },
    samples: request.samples,
    turns: request.turns,
    maxTokens: 0,
  };
  const answer = { sample: 0, stop: 'cancelled', sql: null, result: null, expected: null, error: null } as const;
  return resultOf(setup, { answer, turns: [], linked: setup.linked, vote: null, notes: [] }, [], 0);
}

function openTranscript(engine: Engine, provider: Provider, request: AskRequest): TranscriptWriter | null {
  if (request.transcript === null) return null;
  const time = new Date();
  const id = randomUUID();
  const writer = new TranscriptWriter(request.transcript ?? transcriptPath(engine.storage, time, id.slice(0, 8)));
  if (request.transcript === undefined && writer.problem === null) pruneTranscripts(engine.storage);
  const { db, ...rest } = request;
  writer.write({
    type: 'ask',
    version: TRANSCRIPT_VERSION,
    id,
    time: time.toISOString(),
    db: resolve(db),
    request: rest,
    model: provider.model,
  });
  return writer;
}

async function answer(
  engine: Engine,
  provider: Provider,
  request: AskRequest,
  tell: (event: AskEvent) => void,
  writer: TranscriptWriter | null,
  signal?: CancelSignal,
): Promise<AskResult> {
  const prepared = await prepareUnlessCancelled(engine, provider, request, tell, signal);
  if (prepared === null) return cancelledResult(request, provider);
  const { setup, catalog, notes } = prepared;
  writer?.write({ type: 'setup', setup, notes });
  const { timeoutMs, maxRows } = request;
  const db = resolve(request.db);
  const world = {
    provider,
    sandbox: engine.sandbox,
    clock,
    catalog,
    db,
    limits: { timeoutMs, maxRows },
    onEvent: tell,
  };
  const perform = performer(world, signal);
  const outcome = await drive(agent(setup), writer ? writer.record(perform) : perform);
  return resultOf(setup, outcome, notes, 0);
}

async function prepareUnlessCancelled(...given: Parameters<typeof prepareAsk>): Promise<Prepared | null> {
  try {
    return await prepareAsk(...given);
  } catch (error) {
    if (error instanceof AppError && error.code === 'cancelled') return null;
    throw error;
  }
}

/**
 * Asks a database a question. Events come in order; the last one is `result` (also of a cancelled question, with the
 * turns until then) or `failed`.
 *
 * @throws AppError where the database file is the matter, or `link` is `oracle` and there is no usable gold query
 */
export async function ask(
  engine: Engine,
  provider: Provider,
  request: AskRequest,
  onEvent: (event: AskEvent) => void,
  signal?: CancelSignal,
): Promise<AskResult> {
  const started = clock.now();
  const writer = openTranscript(engine, provider, request);
  const tell = (event: AskEvent) => {
    writer?.event(event);
    onEvent(event);
  };
  try {
    if (writer?.problem) tell({ type: 'note', text: writer.problem });
    const answered = await answer(engine, provider, request, tell, writer, signal);
    const result = { ...answered, ms: clock.now() - started };
    writer?.write({ type: 'result', result });
    onEvent({ type: 'result', result });
    return result;
  } catch (error) {
    const wire = toWireError(error);
    writer?.fail(wire);
    onEvent({ type: 'failed', error: wire });
    throw error;
  } finally {
    writer?.close();
  }
}
