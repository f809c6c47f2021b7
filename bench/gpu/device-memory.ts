import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const EVERY_MS = 100;

/**
 * Watches how much memory of the first GPU is taken, whoever takes it and context included, so that any two programs are
 * measured alike. Where there is no nvidia-smi it sees nothing.
 */
export class DeviceMemory {
  #first: number | null = null;
  #most = 0;
  readonly #child: ChildProcess;

  constructor() {
    const query = ['--id=0', '--query-gpu=memory.used', '--format=csv,noheader,nounits', `--loop-ms=${EVERY_MS}`];
    const child = spawn('nvidia-smi', query, { stdio: ['ignore', 'pipe', 'ignore'] });
    child.on('error', () => undefined);
    createInterface({ input: child.stdout }).on('line', (line) => {
      const used = Number.parseFloat(line);
      if (!Number.isFinite(used)) return;
      this.#first ??= used;
      this.#most = Math.max(this.#most, used);
    });
    this.#child = child;
  }

  /** Ends the watch. @returns GiB taken at most beyond what was taken at first; null where nothing was seen */
  end(): number | null {
    this.#child.kill();
    return this.#first === null ? null : Number(((this.#most - this.#first) / 1024).toFixed(2));
  }
}
