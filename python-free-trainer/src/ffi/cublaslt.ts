import koffi from 'koffi';

const H = 'int64';
const I = 'int';
const V = 'void *';
const Z = 'size_t';

const SIGNATURES = {
  cublasLtCreate: [V],
  cublasLtDestroy: [H],
  cublasLtMatmulDescCreate: [V, I, I],
  cublasLtMatmulDescSetAttribute: [H, I, V, Z],
  cublasLtMatrixLayoutCreate: [V, I, 'uint64', 'uint64', 'int64'],
  cublasLtMatrixLayoutDestroy: [H],
  cublasLtMatmulPreferenceCreate: [V],
  cublasLtMatmulPreferenceSetAttribute: [H, I, V, Z],
  cublasLtMatmulAlgoGetHeuristic: [H, H, H, H, H, H, H, I, V, V],
  cublasLtMatmul: [H, H, H, H, H, H, H, H, H, H, H, H, H, H, Z, H],
} as const;

type Arguments = (number | bigint | Buffer)[];
export type CublasLt = {
  readonly [Name in keyof typeof SIGNATURES]: (...args: Arguments) => number;
} & {
  /** 130100 for 13.1. */
  readonly version: number;
};

/** Bytes of cublasLtMatmulHeuristicResult_t, and of the algorithm it begins with. */
export const HEURISTIC_BYTES = 96;
export const ALGORITHM_BYTES = 64;

/** @throws Error of the loader */
export function loadCublasLt(file: string): CublasLt {
  const library = koffi.load(file);
  const calls = Object.entries(SIGNATURES).map(([name, parameters]) => [name, library.func(name, I, [...parameters])]);
  const version = Number(library.func('cublasLtGetVersion', Z, [])());
  return { ...Object.fromEntries(calls), version } as CublasLt;
}
