import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const WRITER = fileURLToPath(new URL('writer.ts', import.meta.url));

export interface Writer {
  child: ChildProcess;
  /** The lines that it printed, when it has ended. */
  ended: Promise<string[]>;
}

export interface WriterOptions {
  /** Called with each line that it prints. */
  onLine?: (line: string) => void;
  /** Most bytes of a file that it may write, in kB. */
  fileLimit?: number;
  uid?: number;
}

/** Starts a process that appends `count` runs to the ledger of a folder, with ids that begin with `prefix`. */
export function startWriter(folder: string, prefix: string, count: number, options: WriterOptions = {}): Writer {
  const { onLine, fileLimit, uid } = options;
  const words = [WRITER, folder, prefix, String(count)];
  const limited = ['-c', `ulimit -f ${fileLimit} && exec "$@"`, 'bash', process.execPath, ...words];
  const child = spawn(fileLimit === undefined ? process.execPath : 'bash', fileLimit === undefined ? words : limited, {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  let text = '';
  let told = 0;
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    const lines = text.split('\n').slice(0, -1);
    for (const line of lines.slice(told)) onLine?.(line);
    told = lines.length;
  });
  const ended = new Promise<string[]>((settle, reject) => {
    child.once('error', reject);
    child.once('close', () => settle(text.split('\n').filter((line) => line !== '')));
  });
  return { child, ended };
}
