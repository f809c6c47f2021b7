import type { EvalEvent, TrainingEvent } from '../../protocol/training.ts';
import { StepColumns } from './step-columns.ts';

type CheckpointEvent = Extract<TrainingEvent, { kind: 'checkpoint' }>;
type NoteEvent = Extract<TrainingEvent, { kind: 'note' }>;
type EndEvent = Extract<TrainingEvent, { kind: 'end' }>;

/** What a run has done so far, taken from its events one after the other. What a resume makes void is forgotten. */
export class TrainingHistory {
  readonly steps = new StepColumns();
  #evals: EvalEvent[] = [];
  #checkpoints: CheckpointEvent[] = [];
  #notes: NoteEvent[] = [];
  #end: EndEvent | null = null;
  #cuts = 0;

  get evals(): readonly EvalEvent[] {
    return this.#evals;
  }

  get checkpoints(): readonly CheckpointEvent[] {
    return this.#checkpoints;
  }

  get notes(): readonly NoteEvent[] {
    return this.#notes;
  }

  /** How the run ended; null while it goes on. */
  get end(): EndEvent | null {
    return this.#end;
  }

  /** How often steps that were told before became void. */
  get cuts(): number {
    return this.#cuts;
  }

  take(event: TrainingEvent): void {
    switch (event.kind) {
      case 'start':
        this.#cutAfter(event.step);
        return;
      case 'step':
        this.steps.push(event);
        return;
      case 'eval':
        this.#evals.push(event);
        return;
      case 'checkpoint':
        this.#checkpoints.push(event);
        return;
      case 'note':
        this.#notes.push(event);
        return;
      case 'end':
        this.#end = event;
        return;
    }
  }

  /** The trainer took the run up again after `step`: what it did later before is void. */
  #cutAfter(step: number): void {
    if (this.steps.cutAfter(step)) this.#cuts += 1;
    const stays = (event: { step: number }) => event.step <= step;
    this.#evals = this.#evals.filter(stays);
    this.#checkpoints = this.#checkpoints.filter(stays);
    this.#notes = this.#notes.filter(stays);
    this.#end = null;
  }
}
