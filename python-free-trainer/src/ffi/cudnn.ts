import koffi from 'koffi';
import { nvrtcBuiltins } from './nvrtc.ts';

const H = 'int64';
const I = 'int';
const V = 'void *';
const N = 'int64';

/** The graph API of cuDNN 9 (cudnn_graph_v9.h). */
const SIGNATURES = {
  cudnnCreate: [V],
  cudnnDestroy: [H],
  cudnnSetStream: [H, H],
  cudnnBackendCreateDescriptor: [I, V],
  cudnnBackendDestroyDescriptor: [H],
  cudnnBackendSetAttribute: [H, I, I, N, V],
  cudnnBackendGetAttribute: [H, I, I, N, V, V],
  cudnnBackendFinalize: [H],
  cudnnBackendExecute: [H, H, H],
} as const;

type Arguments = (number | bigint | Buffer)[];
export type Cudnn = {
  readonly [Name in keyof typeof SIGNATURES]: (...args: Arguments) => number;
} & {
  /** 91900 for 9.19.0. */
  readonly version: number;
  /** Held: a library that nobody refers to is unloaded. */
  readonly needed: readonly unknown[];
  /** What cuDNN says about the last call that failed. */
  readonly lastError: () => string;
};

/**
 * Loads cuDNN. Its own parts lie beside it and are found there. What else it asks for by name may lie elsewhere and is loaded
 * first: without cuBLASLt it ends the process, without the compiler it has no engine for attention.
 * @throws Error of the loader
 */
export function loadCudnn(file: string, needed: { cublasLt: string; nvrtc: string }): Cudnn {
  const files = [needed.cublasLt, ...nvrtcBuiltins(needed.nvrtc), needed.nvrtc];
  const libraries = files.map((name) => koffi.load(name, { global: true }));
  const library = koffi.load(file);
  const calls = Object.entries(SIGNATURES).map(([name, parameters]) => [name, library.func(name, I, [...parameters])]);
  const version = Number(library.func('cudnnGetVersion', 'size_t', [])());
  const read = library.func('cudnnGetLastErrorString', 'void', [V, 'size_t']);
  const lastError = () => {
    const text = Buffer.alloc(1024);
    read(text, text.length);
    return text.toString('latin1').split('\0')[0] ?? '';
  };
  return { ...Object.fromEntries(calls), version, lastError, needed: libraries } as Cudnn;
}
