// A trainer that computes nothing: it keeps its run directory as a real one does, until it is asked to stop. For tests of
// whoever starts trainers. Run as `node scripted-trainer.ts train RUN_DIR`.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_FILES } from '../../src/protocol/training.ts';
import { identityOf } from '../../src/runtime/trainer/process-identity.ts';
import { TrainingRunFolder } from './training-run.ts';

const BEAT_MS = 50;
const folder = process.argv[3] ?? '';
const own = await identityOf(process.pid);
const run = new TrainingRunFolder(folder, 1000).begin(own);
process.stdout.write('the trainer has begun\n');
run.append({ kind: 'start', time: new Date().toISOString(), step: 0, of: 1000 });
let step = 0;

function beat(): void {
  step += 1;
  run.steps(step, step).beat({ state: 'training', step, process: own });
  const stop = join(folder, RUN_FILES.control, 'stop');
  if (!existsSync(stop)) return;
  rmSync(stop);
  clearInterval(timer);
  const message = `Stopped after step ${step}.`;
  run.append({ kind: 'end', time: new Date().toISOString(), step, state: 'stopped', message });
  run.beat({ state: 'stopped', step, message, process: own });
}

const timer = setInterval(beat, BEAT_MS);
