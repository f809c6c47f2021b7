import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type BucketChange, BucketStream } from '../../core/training/bucket-stream.ts';
import { givenFacts, trainingFacts } from '../../core/training/facts.ts';
import { TrainingHistory } from '../../core/training/history.ts';
import { RUN_FILES } from '../../protocol/training.ts';
import type { StepRange, TrainingFacts, TrainingMarks } from '../../protocol/training-view.ts';
import { localModelOfBase } from '../../runtime/trainer/base-model.ts';
import { readTrainerLog } from '../../runtime/trainer/run-files.ts';
import { RunReader, type RunSnapshot } from '../../runtime/trainer/run-reader.ts';
import { adapterUses } from '../../runtime/trainer/use-adapter.ts';

/** Evaluations that a view is told. */
const MOST_EVALS = 1000;
/** Buckets before the view has said how wide it is. */
const FIRST_POINTS = 800;
const WHOLE: StepRange = { from: null, to: null };

/** What a view has not been told yet of a run. */
export interface SideNews {
  snapshot: RunSnapshot;
  facts: TrainingFacts | null;
  marks: TrainingMarks | null;
  change: BucketChange | null;
}

/** A run as a training view shows it: read bit by bit, told bit by bit. */
export class RunSide {
  readonly folder: string;
  readonly stream = new BucketStream(WHOLE, FIRST_POINTS);
  readonly #reader: RunReader;
  #facts = '';
  #marks = '';
  #isRead = false;

  constructor(folder: string) {
    this.folder = folder;
    this.#reader = new RunReader(folder);
  }

  /** The view knows nothing any more: all is told anew. */
  forget(): void {
    this.#facts = '';
    this.#marks = '';
    this.stream.forget();
  }

  /**
   * What can be told while the events are read for the first time, which takes a while where there are many: how the run
   * stands, and the curves as far as they are known. @returns null where all is read
   */
  async soFar(): Promise<SideNews | null> {
    const { latest: snapshot, history } = this.#reader;
    if (this.#isRead || snapshot === null || history.steps.length === 0) return null;
    const facts = await factsOf(snapshot, new TrainingHistory());
    if (this.#isRead) return null;
    return { snapshot, facts, marks: null, change: this.stream.next(this.#reader.history) };
  }

  /** Reads what is new. @throws AppError `training_run_missing`, `training_run_damaged` */
  async look(): Promise<SideNews> {
    const snapshot = await this.#reader.read();
    this.#isRead = true;
    const { history } = this.#reader;
    const facts = await factsOf(snapshot, history);
    const marks = await marksOf(this.folder, history);
    const [saidFacts, saidMarks] = [JSON.stringify(facts), JSON.stringify(marks)];
    const news = {
      snapshot,
      facts: saidFacts === this.#facts ? null : facts,
      marks: saidMarks === this.#marks ? null : marks,
      change: this.stream.next(history),
    };
    this.#facts = saidFacts;
    this.#marks = saidMarks;
    return news;
  }
}

async function factsOf(snapshot: RunSnapshot, history: TrainingHistory): Promise<TrainingFacts> {
  const { folder, state, message, given, run, status } = snapshot;
  const { steps } = history;
  const failed = state === 'failed' || state === 'died';
  return {
    name: basename(folder),
    folder,
    state,
    message,
    step: steps.last('step') ?? status?.step ?? 0,
    of: run?.steps ?? status?.of ?? null,
    loss: steps.last('loss') ?? status?.loss ?? null,
    etaMs: status?.eta_s == null || state !== 'training' ? null : status.eta_s * 1000,
    facts:
      run === null
        ? givenFacts({ base: given.model.base, data: given.data.train })
        : trainingFacts(run, history, status?.memory ?? null),
    log: failed ? await readTrainerLog(folder) : null,
    canAnswer: state === 'done' && run !== null && localModelOfBase(run) !== null,
    uses: state === 'done' && run !== null ? adapterUses(folder, run) : [],
  };
}

/** Every so many of a list that at most `MOST_EVALS` are left, the last one always. */
function thinned<T>(list: readonly T[]): T[] {
  const every = Math.ceil(list.length / MOST_EVALS);
  return list.filter((_, index) => (list.length - 1 - index) % every === 0);
}

async function marksOf(folder: string, { evals, checkpoints, notes }: TrainingHistory): Promise<TrainingMarks> {
  const there = await readdir(join(folder, RUN_FILES.checkpoints)).catch((): string[] => []);
  const kept = checkpoints.filter(({ path }) => there.includes(basename(path)));
  const lossAt = new Map(evals.map(({ step, loss }) => [step, loss]));
  const least = kept.reduce((low, { step }) => Math.min(low, lossAt.get(step) ?? low), Number.POSITIVE_INFINITY);
  return {
    evals: thinned(evals).map(({ step, loss, accuracy, best }) => ({ step, loss, accuracy, best })),
    checkpoints: kept.map(({ step, path }) => {
      const loss = lossAt.get(step) ?? null;
      return { step, path, loss, best: loss !== null && loss === least };
    }),
    notes: notes.slice(-MOST_EVALS).map(({ step, text }) => ({ step, text })),
  };
}
