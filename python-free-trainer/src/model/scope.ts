import type { Backend, Tensor, TensorKind } from '../backend/backend.ts';

/** The tensors of one pass, so that all of them are freed at its end, also when it fails. */
export class TensorScope {
  readonly #backend: Backend;
  readonly #held = new Set<Tensor>();

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** A matrix of zeros. */
  tensor(rows: number, cols: number, kind: TensorKind = 'activation'): Tensor {
    const tensor = this.#backend.tensor(rows, cols, undefined, kind);
    this.#held.add(tensor);
    return tensor;
  }

  free(...tensors: (Tensor | null)[]): void {
    for (const tensor of tensors) if (tensor !== null && this.#held.delete(tensor)) this.#backend.free(tensor);
  }

  freeAll(): void {
    this.free(...this.#held);
  }
}
