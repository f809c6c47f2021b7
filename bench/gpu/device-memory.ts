import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const EVERY_MS = 100;

/**
 * Watches how much memory of the first GPU is taken, whoever takes it and context included, so that any two programs are
 * measured alike. Where there is no nvidia-smi it sees nothing.
 */
export class DeviceMemory {
  readonly #child: ChildProcess;
  #first: number | null = null;
  #most = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Begins to watch; what is taken by then is not counted. */
  static async watch(): Promise<DeviceMemory> {
    const query = ['--id=0', '--query-gpu=memory.used', '--format=csv,noheader,nounits', `--loop-ms=${EVERY_MS}`];
    const child = spawn('nvidia-smi', query, { stdio: ['ignore', 'pipe', 'ignore'] });
    const memory = new DeviceMemory(child);
    await new Promise<void>((resolve) => {
      child.on('error', () => resolve());
      child.on('close', () => resolve());
      createInterface({ input: child.stdout }).on('line', (line) => {
        memory.#take(Number.parseFloat(line));
        resolve();
      });
    });
    return memory;
  }

  #take(used: number): void {
    if (!Number.isFinite(used)) return;
    this.#first ??= used;
    this.#most = Math.max(this.#most, used);
  }

  /** Ends the watch. @returns GiB taken at most beyond what was taken at first; null where nothing was seen */
  end(): number | null {
    this.#child.kill();
    return this.#first === null ? null : Number(((this.#most - this.#first) / 1024).toFixed(2));
  }
}
