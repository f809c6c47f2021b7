import type { Cudnn } from '../ffi/cudnn.ts';
import { nativeMemory } from '../ffi/driver.ts';
import { cudnnFailed, Descriptors } from './cudnn-descriptors.ts';

/** A matrix of a graph: in memory where it has an identity of its own, else between two operations. */
export interface GraphTensor {
  descriptor: number;
  id: number;
}

/** cudnnDataType_t */
const DATA = { float32: 0, int32: 4, bfloat16: 9, boolean: 11 } as const;

/** cudnnPointwiseMode_t */
const POINTWISE = {
  add: 0,
  multiply: 1,
  divide: 6,
  subtract: 9,
  exponential: 13,
  logarithm: 15,
  copy: 21,
  greaterOrEqual: 303,
  less: 304,
  and: 400,
  index: 501,
  select: 601,
} as const;

/** cudnnReduceTensorOp_t */
const REDUCTION = { sum: 0, maximum: 3 } as const;

/** cudnnBackendHeurMode_t: A, then the fallback. */
const HEURISTICS = [3, 2];
const CONFIGURATIONS = 8;
/** CUDNN_STATUS_NOT_SUPPORTED */
const NOT_SUPPORTED = 3000;
/** CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC, and how many notes there are. */
const NONDETERMINISTIC = 4;
const NOTES = 16;

export type DataType = keyof typeof DATA;

export interface TensorShape {
  dims: readonly number[];
  strides: readonly number[];
  type: DataType;
  /** Given: memory that a run names; not given: a step between two operations. */
  id?: number;
  /** Where each element of the first dimension begins, in elements: dims[0] + 1 offsets. */
  offsets?: GraphTensor;
}

/** Rows, columns and inner length that are really there, for each element of the first dimension. */
export interface MatmulLengths {
  m?: GraphTensor | undefined;
  n?: GraphTensor | undefined;
  k?: GraphTensor | undefined;
}

/** Something that cuDNN can run: addresses by identity in, work queued. */
export interface CudnnPlan {
  /** Bytes that a run needs beside its tensors. */
  workspace: number;
  /** @throws AppError `cuda_failed` */
  run: (tensors: readonly (readonly [id: number, address: number])[], workspace: number) => void;
  close: () => void;
}

/**
 * A graph of operations that cuDNN runs as one (its backend API, cuDNN 9). Operations go in one after another; `plan` chooses the
 * first engine that takes the graph. Every call throws AppError `cuda_failed` where cuDNN refuses.
 */
export class CudnnGraph {
  readonly #cudnn: Cudnn;
  readonly #handle: number;
  readonly #descriptors: Descriptors;
  readonly #operations: number[] = [];
  /** Constants: identity and address on the host. */
  readonly #constants: [number, number][] = [];
  #nextId = 1000;

  constructor(cudnn: Cudnn, handle: number) {
    this.#cudnn = cudnn;
    this.#handle = handle;
    this.#descriptors = new Descriptors(cudnn);
  }

  tensor({ dims, strides, type, id, offsets }: TensorShape): GraphTensor {
    const own = id ?? this.#nextId++;
    const descriptor = this.#tensor(own, dims, strides, type);
    this.#descriptors.flag(descriptor, 907, id === undefined);
    if (offsets !== undefined) this.#descriptors.set(descriptor, 913, 'descriptor', offsets.descriptor);
    return { descriptor: this.#descriptors.finish(descriptor), id: own };
  }

  constant(value: number): GraphTensor {
    const id = this.#nextId++;
    const descriptor = this.#tensor(id, [1, 1, 1, 1], [1, 1, 1, 1], 'float32');
    this.#descriptors.flag(descriptor, 907, false);
    this.#descriptors.flag(descriptor, 908, true);
    const memory = nativeMemory(16);
    memory.view.setFloat32(0, value, true);
    this.#constants.push([id, memory.address]);
    return { descriptor: this.#descriptors.finish(descriptor), id };
  }

  #tensor(id: number, dims: readonly number[], strides: readonly number[], type: DataType): number {
    const descriptor = this.#descriptors.create('tensor');
    this.#descriptors.choose(descriptor, 901, 'dataType', DATA[type]);
    this.#descriptors.set(descriptor, 902, 'long', ...dims);
    this.#descriptors.set(descriptor, 903, 'long', ...strides);
    this.#descriptors.set(descriptor, 906, 'long', id);
    this.#descriptors.set(descriptor, 900, 'long', 16);
    return descriptor;
  }

  /** y = mode(x, b); `select`: x where `where` holds, else b. `index`: the position along `axis`. */
  pointwise(
    mode: keyof typeof POINTWISE,
    y: GraphTensor,
    x: GraphTensor,
    { b, where, axis, type = 'float32' }: { b?: GraphTensor; where?: GraphTensor; axis?: number; type?: DataType } = {},
  ): GraphTensor {
    const about = this.#descriptors.create('pointwise');
    this.#descriptors.choose(about, 0, 'pointwiseMode', POINTWISE[mode]);
    this.#descriptors.choose(about, 1, 'dataType', DATA[type]);
    if (axis !== undefined) this.#descriptors.set(about, 9, 'long', axis);
    const inputs = { 750: this.#descriptors.finish(about), 751: x.descriptor, 753: y.descriptor };
    this.#operation('pointwiseOperation', { ...inputs, 752: b?.descriptor, 758: where?.descriptor });
    return y;
  }

  /** c = a b. `padding` stands for what lies behind the lengths. */
  matmul(c: GraphTensor, a: GraphTensor, b: GraphTensor, lengths: MatmulLengths, padding?: number): GraphTensor {
    const about = this.#descriptors.create('matmul');
    this.#descriptors.choose(about, 1500, 'dataType', DATA.float32);
    if (padding !== undefined) this.#descriptors.double(about, 1503, padding);
    this.#operation('matmulOperation', {
      1523: this.#descriptors.finish(about),
      1520: a.descriptor,
      1521: b.descriptor,
      1522: c.descriptor,
      1525: lengths.m?.descriptor,
      1526: lengths.n?.descriptor,
      1527: lengths.k?.descriptor,
    });
    return c;
  }

  /** y = x reduced along the dimensions that are 1 in y. */
  reduce(kind: keyof typeof REDUCTION, y: GraphTensor, x: GraphTensor): GraphTensor {
    const about = this.#descriptors.create('reduction');
    this.#descriptors.choose(about, 1600, 'reduction', REDUCTION[kind]);
    this.#descriptors.choose(about, 1601, 'dataType', DATA.float32);
    const inputs = { 1612: this.#descriptors.finish(about), 1610: x.descriptor, 1611: y.descriptor };
    this.#operation('reductionOperation', inputs);
    return y;
  }

  /** y = x seen with other dimensions and strides. */
  reshape(y: GraphTensor, x: GraphTensor): GraphTensor {
    this.#operation('reshapeOperation', { 2200: x.descriptor, 2201: y.descriptor });
    return y;
  }

  #operation(
    kind: 'pointwiseOperation' | 'matmulOperation' | 'reductionOperation' | 'reshapeOperation',
    inputs: Record<number, number | undefined>,
  ): void {
    const operation = this.#descriptors.create(kind);
    for (const [attribute, descriptor] of Object.entries(inputs))
      if (descriptor !== undefined) this.#descriptors.set(operation, Number(attribute), 'descriptor', descriptor);
    this.#operations.push(this.#descriptors.finish(operation));
  }

  /** @param isDeterministic takes no engine of which cuDNN says that its sums have no fixed order */
  plan(isDeterministic: boolean): CudnnPlan {
    const graph = this.#descriptors.create('graph');
    this.#descriptors.set(graph, 800, 'handle', this.#handle);
    this.#descriptors.set(graph, 801, 'descriptor', ...this.#operations);
    this.#descriptors.finish(graph);
    let refusal: unknown = null;
    for (const mode of HEURISTICS)
      for (const configuration of this.#configurations(graph, mode)) {
        if (isDeterministic && this.#isNondeterministic(configuration)) continue;
        try {
          return this.#finished(configuration);
        } catch (error) {
          refusal = error;
        }
      }
    this.#descriptors.close();
    throw refusal ?? cudnnFailed(this.#cudnn, 'looking for an engine', NOT_SUPPORTED);
  }

  #configurations(graph: number, mode: number): number[] {
    const heuristics = this.#descriptors.create('heuristics');
    this.#descriptors.set(heuristics, 201, 'descriptor', graph);
    this.#descriptors.choose(heuristics, 200, 'heuristicMode', mode);
    this.#descriptors.finish(heuristics);
    const made = Array.from({ length: CONFIGURATIONS }, () => this.#descriptors.create('engineConfig'));
    const into = Buffer.alloc(8 * CONFIGURATIONS);
    for (const [index, descriptor] of made.entries()) into.writeBigInt64LE(BigInt(descriptor), 8 * index);
    return made.slice(0, this.#descriptors.get(heuristics, 202, 'descriptor', CONFIGURATIONS, into));
  }

  #isNondeterministic(configuration: number): boolean {
    const engine = this.#descriptors.create('engine');
    const into = Buffer.alloc(8);
    into.writeBigInt64LE(BigInt(engine));
    this.#descriptors.get(configuration, 300, 'descriptor', 1, into);
    const notes = Buffer.alloc(4 * NOTES);
    const count = this.#descriptors.get(engine, 1303, 'numericalNote', NOTES, notes);
    return Array.from({ length: count }, (_, index) => notes.readInt32LE(4 * index)).includes(NONDETERMINISTIC);
  }

  #finished(configuration: number): CudnnPlan {
    const plan = this.#descriptors.create('plan');
    this.#descriptors.set(plan, 400, 'handle', this.#handle);
    this.#descriptors.set(plan, 401, 'descriptor', configuration);
    this.#descriptors.finish(plan);
    const bytes = Buffer.alloc(8);
    this.#descriptors.get(plan, 402, 'long', 1, bytes);
    return {
      workspace: Number(bytes.readBigInt64LE(0)),
      run: (tensors, workspace) => this.#run(plan, tensors, workspace),
      close: () => this.#descriptors.close(),
    };
  }

  #run(plan: number, tensors: Parameters<CudnnPlan['run']>[0], workspace: number): void {
    const all = [...tensors, ...this.#constants];
    const call = new Descriptors(this.#cudnn);
    const pack = call.create('pack');
    call.set(pack, 1000, 'long', ...all.map(([id]) => id));
    call.set(pack, 1001, 'pointer', ...all.map(([, address]) => address));
    call.set(pack, 1003, 'pointer', workspace);
    call.finish(pack);
    const code = this.#cudnn.cudnnBackendExecute(this.#handle, plan, pack);
    call.close();
    if (code !== 0) throw cudnnFailed(this.#cudnn, 'running attention', code);
  }
}
