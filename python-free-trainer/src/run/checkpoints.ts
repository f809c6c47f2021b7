import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../src/protocol/errors.ts';
import type { AdapterAbout } from '../io/adapter-about.ts';
import { hashPath } from '../io/hashed-files.ts';
import { writePeft } from '../io/peft.ts';
import { replaceFile, syncFolder } from '../io/replace-file.ts';
import type { Adapter } from '../model/adapter.ts';
import { type CheckpointState, openState, sealState } from './checkpoint-state.ts';
import { checkpointsDamaged, runUnwritable } from './errors.ts';
import { type EngineState, readEngineState, writeEngineState } from './moments.ts';

const STATE = 'state.json';
const TENSORS = 'trainer_state.safetensors';
const NAME = /^step-(\d{6,})$/;
/** How many of the newest are kept, beside the best. */
const NEWEST = 2;

/** A checkpoint that was read. */
export interface Checkpoint extends EngineState {
  /** Absolute path of its folder. */
  path: string;
  state: CheckpointState;
}

/** `checkpoints/` of a run directory: each a folder that is whole or not there. */
export class Checkpoints {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Steps of which there are checkpoints, the newest first. */
  async steps(): Promise<number[]> {
    const names = await readdir(this.folder).catch(() => []);
    return names.flatMap((name) => (NAME.test(name) ? [Number(NAME.exec(name)?.[1])] : [])).sort((a, b) => b - a);
  }

  pathOf(step: number): string {
    return join(this.folder, `step-${String(step).padStart(6, '0')}`);
  }

  /**
   * Writes a checkpoint beside its place, flushes it and renames it. Then all but the newest two and the best are removed.
   * @param onReady called with its path when only the renaming is left
   * @throws AppError `disk_full`, `run_unwritable`, `adapter_not_finite`; the checkpoints that there were are untouched
   */
  async write(
    state: Omit<CheckpointState, 'files'>,
    engine: EngineState,
    about: AdapterAbout,
    onReady: (path: string) => void,
  ): Promise<void> {
    const path = this.pathOf(state.step);
    const temporary = `${path}.${randomBytes(4).toString('hex')}.new`;
    try {
      await mkdir(temporary, { recursive: true });
      await writePeft(temporary, engine.adapter, about);
      await writeEngineState(join(temporary, TENSORS), engine);
      const files: CheckpointState['files'] = {};
      for (const name of (await readdir(temporary)).sort()) files[name] = await hashPath(join(temporary, name));
      await replaceFile(join(temporary, STATE), (file) => file.writeFile(sealState({ ...state, files })));
      onReady(path);
      await rm(path, { recursive: true, force: true });
      await rename(temporary, path);
      await syncFolder(this.folder);
    } catch (error) {
      await rm(temporary, { recursive: true, force: true }).catch(() => undefined);
      // Of these, the message already says what to do.
      if (error instanceof AppError && error.code !== 'file_not_written') throw error;
      throw runUnwritable(path, error, 'The checkpoint before it is untouched.');
    }
    await this.#prune(state);
  }

  /** What a checkpoint says of itself. @throws Error saying why it cannot be used, without its subject */
  async stateOf(step: number): Promise<CheckpointState> {
    return openState(await readFile(join(this.pathOf(step), STATE), 'utf8'));
  }

  /**
   * The newest checkpoint that is as it was written.
   * @param like an adapter of the same shapes
   * @returns null where there are none, and a sentence for each newer one that is damaged
   * @throws AppError `checkpoints_damaged` where there are some and none can be used
   */
  async newest(like: Adapter): Promise<{ checkpoint: Checkpoint | null; problems: string[] }> {
    const problems: string[] = [];
    const steps = await this.steps();
    for (const step of steps) {
      try {
        return { checkpoint: await this.#read(step, like), problems };
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        problems.push(`The checkpoint of step ${step} is damaged and passed over (${reason}).`);
      }
    }
    if (steps.length > 0) throw checkpointsDamaged(this.folder, problems);
    return { checkpoint: null, problems };
  }

  /** Removes what a trainer that was killed while it wrote has left. */
  async tidy(): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    for (const name of names)
      if (name.endsWith('.new')) await rm(join(this.folder, name), { recursive: true, force: true });
  }

  async #read(step: number, like: Adapter): Promise<Checkpoint> {
    const path = this.pathOf(step);
    const state = await this.stateOf(step);
    if (state.step !== step) throw new Error(`it is of step ${state.step}`);
    for (const [name, file] of Object.entries(state.files)) {
      const found = await hashPath(join(path, name));
      if (found.sha256 !== file.sha256) throw new Error(`${name} has another SHA-256 than it was written with`);
    }
    return { path, state, ...(await readEngineState(join(path, TENSORS), like)) };
  }

  /** Removes checkpoints that are older than is kept, and those of later steps: the run goes on from before them. */
  async #prune({ step: now, best }: Pick<CheckpointState, 'step' | 'best'>): Promise<void> {
    const steps = await this.steps();
    const kept = new Set([...steps.filter((step) => step <= now).slice(0, NEWEST), best?.step]);
    for (const step of steps)
      if (!kept.has(step)) await rm(this.pathOf(step), { recursive: true, force: true }).catch(() => undefined);
  }
}
