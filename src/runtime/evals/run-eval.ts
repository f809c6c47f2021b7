import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { outcomeCounts, summarise } from '../../core/evals/summary.ts';
import { toWireError } from '../../protocol/errors.ts';
import type { EvalEvent, ItemRecord } from '../../protocol/eval.ts';
import type { EvalLine, RunSummary } from '../../protocol/ledger.ts';
import { gitState } from '../git-state.ts';
import { withLock } from '../model/lock.ts';
import { packageRoot } from '../paths.ts';
import { Scorer } from '../score/scorer.ts';
import { configOf } from './eval-config.ts';
import { noItems, runBusy, runUnwritable } from './eval-errors.ts';
import { ITEMS_FILE, ItemsFile } from './eval-items.ts';
import { EvalLoop } from './eval-loop.ts';
import { makePlace, type OpenRun, openRun, placeOf } from './eval-open.ts';
import type { EvalParts, EvalRequest } from './eval-request.ts';

/** What came of an evaluation. */
export interface EvalResult {
  state: EvalLine['state'];
  summary: RunSummary;
  run_id: string;
  /** The run's folder. */
  folder: string;
  /** Nothing was left to do: an earlier call had finished the run. */
  wasFinished: boolean;
}

type Tell = (event: EvalEvent) => void;

async function machine(): Promise<EvalLine['machine']> {
  const { version }: { version: string } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8'));
  const platform = `${process.platform}-${process.arch}`;
  return { program: version, node: process.versions.node, platform, cpus: availableParallelism() };
}

async function outputOf(folder: string): Promise<EvalLine['output']> {
  const path = join(folder, ITEMS_FILE);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return { path, sha256: hash.digest('hex'), bytes: (await stat(path)).size };
}

/** Writes the run's line of the ledger. */
async function record(
  { ledger }: EvalParts,
  request: EvalRequest,
  { folder, file }: OpenRun,
  git: EvalLine['git'],
  ended: Pick<EvalLine, 'state' | 'summary'>,
): Promise<void> {
  await ledger.append({
    kind: 'eval',
    run_id: file.run_id,
    started: file.started,
    ...ended,
    command: [...request.command],
    git,
    machine: await machine(),
    config: file.config,
    output: await outputOf(folder),
  });
}

/** True where the ledger says that a run is done, with as many items. */
async function isRecorded({ ledger }: EvalParts, id: string, done: number): Promise<boolean> {
  const line = (await ledger.runs()).find(({ run_id }) => run_id === id);
  return line?.state === 'done' && line.summary.done === done;
}

class Evaluation {
  readonly #parts: EvalParts;
  readonly #request: EvalRequest;
  readonly #tell: Tell;
  readonly #run: OpenRun;
  readonly #started = performance.now();

  constructor(parts: EvalParts, request: EvalRequest, run: OpenRun, tell: Tell) {
    this.#parts = parts;
    this.#request = request;
    this.#run = run;
    this.#tell = tell;
  }

  async run(signal: AbortSignal): Promise<EvalResult> {
    const { folder, file, records, notes } = this.#run;
    const total = file.ids.length;
    const { run_id, config } = file;
    const outcomes = records.length === 0 ? {} : { outcomes: outcomeCounts(records) };
    this.#tell({ type: 'started', run_id, folder, total, resumed: records.length, ...outcomes, config });
    for (const text of notes) this.#tell({ type: 'note', text });
    const wasFinished = records.length === total && (await isRecorded(this.#parts, run_id, total));
    if (wasFinished) {
      this.#tell({ type: 'note', text: `The run ${run_id} is finished: nothing is left to ask.` });
      return this.#end('done', summarise(records, total, this.#run.beforeMs), true);
    }
    const git = await gitState(this.#request.cwd, this.#parts.ledger.folder);
    const { isDone, all } = await this.#ask(git, signal);
    const state = isDone ? 'done' : 'stopped';
    const summary = this.#summary(all);
    if (all.length > 0) await record(this.#parts, this.#request, this.#run, git, { state, summary });
    return this.#end(state, summary, false);
  }

  #summary(records: readonly ItemRecord[]): RunSummary {
    const ms = this.#run.beforeMs + performance.now() - this.#started;
    return summarise(records, this.#run.file.ids.length, ms);
  }

  #end(state: EvalLine['state'], summary: RunSummary, wasFinished: boolean): EvalResult {
    const { folder, file } = this.#run;
    this.#tell({ type: 'ended', state, run_id: file.run_id, summary });
    return { state, summary, run_id: file.run_id, folder, wasFinished };
  }

  /** Asks what is left. A run that fails is recorded as stopped before its error is thrown. */
  async #ask(git: EvalLine['git'], signal: AbortSignal): Promise<{ isDone: boolean; all: ItemRecord[] }> {
    const { engine } = this.#parts;
    const { folder, records } = this.#run;
    const { score: settings, metric } = this.#request;
    const scorer = new Scorer({ sandbox: engine.sandbox, store: engine.store }, settings);
    const items = new ItemsFile(folder, records.length);
    const loop = new EvalLoop({
      parts: this.#parts,
      request: this.#request,
      judge: { scorer, sandbox: engine.sandbox, settings, metric },
      folder,
      file: items,
      finished: records,
      onEvent: this.#tell,
    });
    try {
      const isDone = await loop.run(signal);
      return { isDone, all: loop.records };
    } catch (error) {
      const ended = { state: 'stopped' as const, summary: this.#summary(loop.records) };
      // What stopped the run is told, and not what stands in the way of recording it.
      if (loop.records.length > 0)
        await record(this.#parts, this.#request, this.#run, git, ended).catch(() => undefined);
      throw error;
    } finally {
      items.close();
      await scorer.dispose();
    }
  }
}

async function evaluate(parts: EvalParts, request: EvalRequest, tell: Tell, signal: AbortSignal): Promise<EvalResult> {
  if (request.items.length === 0) throw noItems(request.dataset.path);
  const config = configOf(parts.provider.protocol, request);
  const place = await placeOf(parts.ledger.folder, config, request);
  makePlace(place);
  const work = async () => {
    const run = await openRun(place, config, request);
    return await new Evaluation(parts, request, run, tell).run(signal);
  };
  const { folder } = place;
  return await withLock(join(folder, 'lock'), work, {
    busy: () => runBusy(folder),
    unwritable: (cause) => runUnwritable(folder, 0, cause),
  });
}

/**
 * Asks every item, scores the answers, keeps each finished item in the run's folder at once, and writes a line into the
 * ledger at the end. Events come in order; the last is `ended` or `failed`. A run that `signal` stops, or that was killed,
 * goes on by `request.resume`.
 *
 * @throws AppError `eval_no_items`, `run_…` about the folder, `disk_full`, `eval_provider_…` where the provider is gone, and
 * those of the ledger
 */
export async function runEval(
  parts: EvalParts,
  request: EvalRequest,
  onEvent: Tell,
  signal: AbortSignal,
): Promise<EvalResult> {
  try {
    return await evaluate(parts, request, onEvent, signal);
  } catch (error) {
    onEvent({ type: 'failed', error: toWireError(error) });
    throw error;
  }
}
