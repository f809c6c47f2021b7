import { readFile } from 'node:fs/promises';
import { agent } from '../core/agent/agent.ts';
import type { Effect, Input } from '../core/agent/effects.ts';
import { drive } from '../core/agent/perform.ts';
import { resultOf } from '../core/agent/result.ts';
import type { AskEvent, AskResult } from '../protocol/ask.ts';
import { type AppError, fromWireError, toWireError } from '../protocol/errors.ts';
import { TRANSCRIPT_VERSION, TranscriptLine } from './transcript.ts';
import {
  transcriptDiverged,
  transcriptIncomplete,
  transcriptOfOtherVersion,
  transcriptUnreadable,
} from './transcript-errors.ts';

type Numbered<T> = T & { line: number };
type Of<T extends TranscriptLine['type']> = Numbered<Extract<TranscriptLine, { type: T }>>;

/** The line as it was written: parsing checks it, and the order of its fields stays. */
function parseLine(path: string, text: string, line: number): Numbered<TranscriptLine> {
  try {
    const written: TranscriptLine = JSON.parse(text);
    TranscriptLine.parse(written);
    return { ...written, line };
  } catch (error) {
    throw transcriptUnreadable(path, line, error instanceof SyntaxError ? error.message : 'unknown fields');
  }
}

/**
 * Reads a transcript. A torn last line, as a crash leaves it, is passed over.
 * @throws AppError `transcript_unreadable`, `transcript_version`
 */
export async function readTranscript(path: string): Promise<Numbered<TranscriptLine>[]> {
  const texts = (await readFile(path, 'utf8')).split('\n');
  texts.pop();
  const lines = texts.map((text, index) => parseLine(path, text, index + 1));
  const [head] = lines;
  if (head?.type !== 'ask') throw transcriptUnreadable(path, 1, 'its head is missing');
  if (head.version !== TRANSCRIPT_VERSION) throw transcriptOfOtherVersion(path, head.version, TRANSCRIPT_VERSION);
  return lines;
}

/** Answers effects from recorded steps, telling their phases and tokens again. */
class Recorded {
  readonly #path: string;
  readonly #steps: Of<'step'>[];
  readonly #failed: Of<'failed'> | undefined;
  readonly #onEvent: (event: AskEvent) => void;
  #next = 0;

  constructor(path: string, lines: Numbered<TranscriptLine>[], onEvent: (event: AskEvent) => void) {
    this.#path = path;
    this.#steps = linesOf(lines, 'step');
    this.#failed = linesOf(lines, 'failed')[0];
    this.#onEvent = onEvent;
  }

  perform = async (effect: Effect): Promise<Input> => {
    if (effect.type === 'event') {
      this.#onEvent(effect.event);
      return { type: 'done' };
    }
    const step = this.#steps[this.#next];
    if (step === undefined) throw this.#end();
    if (JSON.stringify(step.effect) !== JSON.stringify(effect)) throw transcriptDiverged(this.#path, step.line);
    this.#next += 1;
    for (const event of step.progress) this.#onEvent(event);
    return step.input as Input;
  };

  /** Why there is no further step. */
  #end(): AppError {
    if (this.#failed === undefined) return transcriptIncomplete(this.#path);
    for (const event of this.#failed.progress) this.#onEvent(event);
    return fromWireError(this.#failed.error);
  }
}

function linesOf<T extends TranscriptLine['type']>(lines: Numbered<TranscriptLine>[], type: T): Of<T>[] {
  return lines.filter((line): line is Of<T> => line.type === type);
}

async function replayLines(
  path: string,
  lines: Numbered<TranscriptLine>[],
  onEvent: (event: AskEvent) => void,
): Promise<AskResult> {
  for (const { event } of linesOf(lines, 'event')) onEvent(event);
  const [begun] = linesOf(lines, 'setup');
  const [recorded] = linesOf(lines, 'result');
  const [failed] = linesOf(lines, 'failed');
  if (begun === undefined) {
    if (recorded) return recorded.result;
    throw failed ? fromWireError(failed.error) : transcriptIncomplete(path);
  }
  const outcome = await drive(agent(begun.setup), new Recorded(path, lines, onEvent).perform);
  if (recorded === undefined) throw transcriptIncomplete(path);
  return resultOf(begun.setup, outcome, begun.notes, recorded.result.ms);
}

/**
 * Runs the agent again over what a transcript recorded, without a database and without a model. Its events are those of
 * the recorded run, byte for byte, times included.
 *
 * @throws AppError `transcript_…`; the recorded error where the question failed
 */
export async function replayTranscript(path: string, onEvent: (event: AskEvent) => void): Promise<AskResult> {
  const lines = await readTranscript(path);
  try {
    const result = await replayLines(path, lines, onEvent);
    onEvent({ type: 'result', result });
    return result;
  } catch (error) {
    onEvent({ type: 'failed', error: toWireError(error) });
    throw error;
  }
}
