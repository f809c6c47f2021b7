/** A matrix on the GPU: first element, elements between rows. */
export interface Operand {
  pointer: number;
  stride: number;
}

/**
 * c [m, n] = alpha op(a) op(b) + beta c; a, b bfloat16, sums float32. `layout`: nt a [m, k], b [n, k]; nn a [m, k], b [k, n];
 * tn a [k, m], b [k, n].
 */
export interface Product {
  layout: 'nt' | 'nn' | 'tn';
  m: number;
  n: number;
  k: number;
  a: Operand;
  b: Operand;
  c: Operand & { type: 'b16' | 'f32' };
  alpha: number;
  beta: number;
}

/** Something that multiplies matrices on the GPU; calls queue work. */
export interface Multiplier {
  /** For people: "cuBLASLt 13.1", "own kernels". */
  readonly name: string;
  /** Bytes on the GPU that it holds for itself. */
  readonly workspace: number;
  multiply(product: Product): void;
  close(): void;
}
