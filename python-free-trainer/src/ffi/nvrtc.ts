import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import koffi from 'koffi';

const I = 'int';
const V = 'void *';
const H = 'int64';

/** The calls of nvrtc.h that are used; there since CUDA 11.2. */
const SIGNATURES = {
  nvrtcVersion: [V, V],
  nvrtcGetNumSupportedArchs: [V],
  nvrtcGetSupportedArchs: [V],
  nvrtcCreateProgram: [V, 'str', 'str', I, 'str *', 'str *'],
  nvrtcCompileProgram: [H, I, 'str *'],
  nvrtcGetProgramLogSize: [H, V],
  nvrtcGetProgramLog: [H, V],
  nvrtcGetCUBINSize: [H, V],
  nvrtcGetCUBIN: [H, V],
  nvrtcGetPTXSize: [H, V],
  nvrtcGetPTX: [H, V],
  nvrtcDestroyProgram: [V],
} as const;

type CallName = keyof typeof SIGNATURES;
type Arguments = (number | bigint | string | Buffer | readonly string[])[];
type Calls = Readonly<Record<CallName, (...args: Arguments) => number>>;

/** The compiler works on the stack of the call, for which koffi sets less aside than a compiler may want. */
const STACK_BYTES = 16 * 2 ** 20;

/** A program for NVRTC. */
export interface NvrtcProgram {
  source: string;
  /** Texts that it includes, by name: no file is read. */
  headers: ReadonlyMap<string, string>;
  options: readonly string[];
}

/** NVIDIA's compiler at run time. It needs no GPU. */
export class Nvrtc {
  /** "13.0". */
  readonly version: string;
  /** Generations that it compiles for, times ten: 90 for sm_90. */
  readonly architectures: readonly number[];
  /** Held: a library that nobody refers to is unloaded. */
  readonly needed: readonly unknown[];
  readonly #calls: Calls;

  /**
   * To be called before anything else is loaded by FFI in this process: room for the compiler's stack is set aside then.
   * @throws Error of the loader
   */
  constructor(file: string) {
    koffi.config({ sync_stack_size: STACK_BYTES });
    this.needed = nvrtcBuiltins(file).map((path) => koffi.load(path, { global: true }));
    const library = koffi.load(file);
    const calls = Object.entries(SIGNATURES).map(([name, types]) => [name, library.func(name, I, [...types])]);
    this.#calls = Object.fromEntries(calls) as Calls;
    const [major, minor] = [Buffer.alloc(4), Buffer.alloc(4)];
    this.#check('nvrtcVersion', major, minor);
    this.version = `${major.readInt32LE(0)}.${minor.readInt32LE(0)}`;
    this.#check('nvrtcGetNumSupportedArchs', major);
    const list = Buffer.alloc(4 * major.readInt32LE(0));
    this.#check('nvrtcGetSupportedArchs', list);
    this.architectures = Array.from({ length: list.length / 4 }, (_, index) => list.readInt32LE(4 * index));
  }

  /** The program for one generation: its cubin and its PTX. @throws Error with what the compiler says */
  compile({ source, headers, options }: NvrtcProgram, architecture: number): { cubin: Buffer; ptx: string } {
    const out = Buffer.alloc(8);
    const all = [`--gpu-architecture=sm_${architecture}`, ...options];
    this.#check(
      'nvrtcCreateProgram',
      out,
      source,
      'kernels.cu',
      headers.size,
      [...headers.values()],
      [...headers.keys()],
    );
    const program = Number(out.readBigUInt64LE(0));
    try {
      const code = this.#calls.nvrtcCompileProgram(program, all.length, all);
      if (code !== 0) throw new Error(this.#problem(program, code));
      const cubin = this.#bytes(program, 'nvrtcGetCUBINSize', 'nvrtcGetCUBIN');
      return { cubin, ptx: text(this.#bytes(program, 'nvrtcGetPTXSize', 'nvrtcGetPTX')) };
    } finally {
      this.#calls.nvrtcDestroyProgram(out);
    }
  }

  /** The first error of the log. */
  #problem(program: number, code: number): string {
    const log = text(this.#bytes(program, 'nvrtcGetProgramLogSize', 'nvrtcGetProgramLog'));
    const lines = log.split('\n').filter((line) => line.trim() !== '');
    return lines.find((line) => line.includes('error')) ?? lines[0] ?? `nvrtcCompileProgram gave ${code}`;
  }

  #bytes(program: number, size: CallName, get: CallName): Buffer {
    const length = Buffer.alloc(8);
    this.#check(size, program, length);
    const bytes = Buffer.alloc(Number(length.readBigUInt64LE(0)));
    this.#check(get, program, bytes);
    return bytes;
  }

  #check(name: CallName, ...args: Arguments): void {
    const code = this.#calls[name](...args);
    if (code !== 0) throw new Error(`${name} gave ${code}`);
  }
}

/** Files beside the compiler that it asks for by a name with its full version: loaded first, they are found anywhere. */
export function nvrtcBuiltins(file: string): string[] {
  const folder = dirname(file);
  return readdirSync(folder)
    .filter((entry) => /^(lib)?nvrtc-builtins(64_\d+\.dll|\.so\.[\d.]+)$/.test(entry))
    .map((entry) => join(folder, entry));
}

/** Up to the terminating zero. */
function text(bytes: Buffer): string {
  return bytes.toString('utf8').split('\0')[0] ?? '';
}
