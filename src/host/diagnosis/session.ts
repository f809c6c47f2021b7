import type { Diagnosis } from '../../protocol/diagnosis.ts';
import type { AlignedView, DiagnosisState } from '../../protocol/diagnosis-view.ts';
import { toWireError } from '../../protocol/errors.ts';
import type { Diagnoser } from '../../runtime/diagnose/diagnose.ts';
import { viewOfDiagnosis, viewOfInspection } from './view.ts';

/** Queries to look into. */
export interface DiagnosisTask {
  /** Absolute path of the database. */
  readonly db: string;
  /** null: the prediction is looked at alone. */
  readonly gold: string | null;
  readonly pred: string;
  /** Limit of one query, in milliseconds. */
  readonly timeoutMs: number;
  /** The results beside each other; null where there are none. */
  readonly rows: AlignedView | null;
  readonly canDebug: boolean;
}

/** What a session asks of its surroundings. */
export interface DiagnosisNeeds {
  /** Loaded on first use. */
  diagnoser(): Promise<Pick<Diagnoser, 'diagnose' | 'inspect'>>;
  /** Told each new state; null: there is nothing to diagnose. */
  onState(state: DiagnosisState | null): void;
  /** Told what went wrong that a user cannot help. */
  onFailure(error: unknown): void;
}

type Found = Partial<Pick<DiagnosisState, 'diagnosis' | 'inspection' | 'problem'>>;

/** The diagnosis that a panel shows: one at a time, a new one takes the place of the one before. */
export class DiagnosisSession {
  readonly #needs: DiagnosisNeeds;
  #state: DiagnosisState | null = null;
  #found: Diagnosis | null = null;
  #task: DiagnosisTask | null = null;
  #running = new AbortController();

  constructor(needs: DiagnosisNeeds) {
    this.#needs = needs;
  }

  get state(): DiagnosisState | null {
    return this.#state;
  }

  /** What is being looked into; null: nothing. */
  get task(): DiagnosisTask | null {
    return this.#task;
  }

  /** The whole of what was found; null before. */
  get diagnosis(): Diagnosis | null {
    return this.#found;
  }

  /** Ends what is going on and shows nothing. */
  clear(): void {
    this.#running.abort();
    this.#task = null;
    this.#found = null;
    this.#state = null;
    this.#needs.onState(null);
  }

  /** Stops, and keeps what was found. */
  stop(): void {
    this.#running.abort();
    const state = this.#state;
    if (state !== null && (state.phase === 'judging' || state.phase === 'repairing')) this.#set('stopped', state);
  }

  /** Begins again what was stopped or failed. */
  async again(): Promise<void> {
    if (this.#task !== null) await this.begin(this.#task);
  }

  /** Looks into queries. Ends when that is done, stopped or failed; failures are in the state. */
  async begin(task: DiagnosisTask): Promise<void> {
    this.#running.abort();
    const running = new AbortController();
    this.#running = running;
    this.#task = task;
    this.#found = null;
    this.#set('judging', {});
    try {
      const diagnoser = await this.#needs.diagnoser();
      const found = await (task.gold === null
        ? this.#inspect(diagnoser, task, running.signal)
        : this.#diagnose(diagnoser, { ...task, gold: task.gold }, running.signal));
      if (!running.signal.aborted) this.#set('done', found);
    } catch (error) {
      if (running.signal.aborted) return;
      this.#needs.onFailure(error);
      this.#set('failed', { ...this.#state, problem: toWireError(error) });
    }
  }

  async #inspect(diagnoser: Pick<Diagnoser, 'inspect'>, task: DiagnosisTask, signal: AbortSignal): Promise<Found> {
    const { db, pred, timeoutMs } = task;
    const inspection = await diagnoser.inspect({ db, sql: pred, timeoutMs }, signal);
    return { inspection: viewOfInspection(inspection, pred) };
  }

  async #diagnose(
    diagnoser: Pick<Diagnoser, 'diagnose'>,
    task: DiagnosisTask & { gold: string },
    signal: AbortSignal,
  ): Promise<Found> {
    const { db, gold, pred, timeoutMs } = task;
    const onJudged = (judged: Diagnosis) => {
      if (signal.aborted) return;
      this.#found = judged;
      this.#set('repairing', { diagnosis: viewOfDiagnosis(judged, task) });
    };
    const diagnosis = await diagnoser.diagnose({ db, gold, pred, timeoutMs, onJudged }, signal);
    if (!signal.aborted) this.#found = diagnosis;
    return { diagnosis: viewOfDiagnosis(diagnosis, task) };
  }

  #set(phase: DiagnosisState['phase'], found: Found): void {
    const { diagnosis = null, inspection = null, problem = null } = found;
    const { rows = null, canDebug = false } = this.#task ?? {};
    this.#state = { phase, diagnosis, inspection, rows, problem, canDebug };
    this.#needs.onState(this.#state);
  }
}
