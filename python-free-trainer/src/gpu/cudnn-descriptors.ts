import type { Cudnn } from '../ffi/cudnn.ts';
import { cudaFailed } from './errors.ts';

/** Kinds of descriptors (cudnnBackendDescriptorType_t). */
const DESCRIPTOR = {
  pointwise: 0,
  engine: 2,
  engineConfig: 3,
  heuristics: 4,
  plan: 5,
  pointwiseOperation: 13,
  graph: 15,
  pack: 16,
  tensor: 17,
  matmul: 18,
  matmulOperation: 19,
  reduction: 21,
  reductionOperation: 22,
  reshapeOperation: 31,
} as const;

/** Types of attributes (cudnnBackendAttributeType_t). */
export const TYPE = {
  handle: 0,
  dataType: 1,
  boolean: 2,
  long: 3,
  double: 5,
  pointer: 6,
  heuristicMode: 8,
  numericalNote: 11,
  pointwiseMode: 14,
  descriptor: 15,
  reduction: 18,
} as const;

/** Descriptors that belong together, and the calls that fill them in. Each throws AppError `cuda_failed`. */
export class Descriptors {
  readonly #cudnn: Cudnn;
  readonly #made: number[] = [];
  readonly #out = Buffer.alloc(8);

  constructor(cudnn: Cudnn) {
    this.#cudnn = cudnn;
  }

  /** Makes an empty descriptor. @returns its handle */
  create(kind: keyof typeof DESCRIPTOR): number {
    this.#check(`making a ${kind}`, this.#cudnn.cudnnBackendCreateDescriptor(DESCRIPTOR[kind], this.#out));
    const descriptor = Number(this.#out.readBigUInt64LE(0));
    this.#made.push(descriptor);
    return descriptor;
  }

  /** 64-bit values: numbers, addresses, handles or other descriptors. */
  set(descriptor: number, attribute: number, type: keyof typeof TYPE, ...values: number[]): void {
    const bytes = Buffer.alloc(8 * values.length);
    for (const [index, value] of values.entries()) bytes.writeBigInt64LE(BigInt(value), 8 * index);
    this.#write(descriptor, attribute, type, values.length, bytes);
  }

  /** A value of an enumeration, 32 bits. */
  choose(descriptor: number, attribute: number, type: keyof typeof TYPE, value: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(value);
    this.#write(descriptor, attribute, type, 1, bytes);
  }

  /** A value that is true or false, one byte. */
  flag(descriptor: number, attribute: number, value: boolean): void {
    this.#write(descriptor, attribute, 'boolean', 1, Buffer.from([value ? 1 : 0]));
  }

  /** A floating-point value, 64 bits. */
  double(descriptor: number, attribute: number, value: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    this.#write(descriptor, attribute, 'double', 1, bytes);
  }

  /** Fills in up to `most` elements of `into`; returns how many there are. */
  get(descriptor: number, attribute: number, type: keyof typeof TYPE, most: number, into: Buffer): number {
    const count = Buffer.alloc(8);
    const code = this.#cudnn.cudnnBackendGetAttribute(descriptor, attribute, TYPE[type], most, count, into);
    this.#check(`reading attribute ${attribute}`, code);
    return Number(count.readBigInt64LE(0));
  }

  /** Closes a descriptor, which takes no more attributes then. @returns its handle */
  finish(descriptor: number): number {
    this.#check('finishing a descriptor', this.#cudnn.cudnnBackendFinalize(descriptor));
    return descriptor;
  }

  /** Takes all descriptors away, the newest first. */
  close(): void {
    for (const descriptor of this.#made.reverse()) this.#cudnn.cudnnBackendDestroyDescriptor(descriptor);
    this.#made.length = 0;
  }

  #write(descriptor: number, attribute: number, type: keyof typeof TYPE, count: number, bytes: Buffer): void {
    const code = this.#cudnn.cudnnBackendSetAttribute(descriptor, attribute, TYPE[type], count, bytes);
    this.#check(`setting attribute ${attribute}`, code);
  }

  #check(what: string, code: number): void {
    if (code !== 0) throw cudnnFailed(this.#cudnn, what, code);
  }
}

/** AppError `cuda_failed` for a call of cuDNN, with cuDNN's own words. @param code cudnnStatus_t @param what was called for */
export function cudnnFailed(cudnn: Cudnn, what: string, code: number) {
  return cudaFailed(`cuDNN ${what}`, code, cudnn.lastError().trim() || 'no reason given');
}
