import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { packageRoot } from '../../../src/runtime/paths.ts';
import { type Driver, loadDriver, nativeMemory, viewOf } from '../ffi/driver.ts';
import { cudaFailed, gpuLost, noDriver, noGpu, oldGpu } from './errors.ts';
import { fits } from './kernel-constants.ts';
import type { SpecialisedKernels } from './specialise.ts';
import { Staging } from './staging.ts';

/** Folder of the compiled kernels. */
const KERNELS_FOLDER = join(packageRoot, 'python-free-trainer/kernels/compiled');

/** A kernel of a loaded module. */
export interface Kernel {
  name: string;
  handle: number;
  /** Types of its parameters: l 64 bits, i a 32-bit integer, f a float. */
  parameters: string;
  /** The same, compiled for one model's sizes. */
  special: { handle: number; lastArguments: readonly (number | null)[] } | null;
}

export interface Grid {
  x: number;
  y?: number;
  /** Threads of a block. */
  threads: number;
  /** Bytes of dynamic shared memory. */
  shared?: number;
}

interface KernelTable {
  kernels: Record<string, { parameters: string }>;
}

/** What a backend asks of a GPU. */
export type Gpu = Pick<
  Device,
  'launch' | 'upload' | 'download' | 'clear' | 'wait' | 'allocate' | 'free' | 'memory' | 'close'
>;

/** Errors after which no call of this process succeeds any more (cuda.h): illegal addresses, instructions and the like. */
const CONTEXT_LOST = [700, 702, 714, 715, 716, 717, 718, 719];
/** Attributes of cuDeviceGetAttribute and cuFuncSetAttribute (cuda.h). */
const MAJOR = 75;
const MINOR = 76;
const PROCESSORS = 16;
const MAX_DYNAMIC_SHARED = 8;
/** Generations that a cubin is compiled for; another runs the PTX. */
const GENERATIONS = ['80', '86', '89', '90', '100', '120'];

/** One GPU with a stream, its memory calls, and our kernels. Belongs to the thread that opened it. */
export class Device {
  readonly driver: Driver;
  readonly name: string;
  /** Compute capability times ten: 90 for 9.0. */
  readonly capability: number;
  readonly processors: number;
  readonly stream: number;
  readonly #out = Buffer.alloc(16);
  /** A slot of 8 bytes for each parameter, behind the table of their addresses; cuLaunchKernel copies them at the call. */
  readonly #slots = nativeMemory(64 * 16);
  readonly #kernels = new Map<string, Kernel>();
  readonly #table: KernelTable;
  readonly #module: number;
  #specialised: { module: number; lastArguments: SpecialisedKernels['lastArguments'] } | null = null;
  readonly #ordinal: number;
  readonly #staging: Staging;

  /** @throws AppError `cuda_no_driver`, `cuda_no_gpu`, `cuda_old_gpu`, `cuda_failed` */
  constructor(ordinal = 0) {
    this.driver = load();
    this.#ordinal = ordinal;
    if (this.driver.cuInit(0) !== 0) throw noGpu();
    this.call('cuDeviceGetCount', this.#out);
    if (this.#out.readInt32LE(0) <= ordinal) throw noGpu();
    const name = Buffer.alloc(256);
    this.call('cuDeviceGetName', name, 256, ordinal);
    this.name = name.toString('latin1').split('\0')[0] ?? '';
    this.capability = this.#attribute(MAJOR) * 10 + this.#attribute(MINOR);
    this.processors = this.#attribute(PROCESSORS);
    if (this.capability < 80) throw oldGpu(this.name, `${Math.floor(this.capability / 10)}.${this.capability % 10}`);
    this.call('cuDevicePrimaryCtxRetain', this.#out, ordinal);
    this.call('cuCtxSetCurrent', this.#handle());
    // A stream that waits for the default one, on which copies from the host end after the call that asks for them.
    this.call('cuStreamCreate', this.#out, 0);
    this.stream = this.#handle();
    for (let i = 0; i < 64; i++) this.#slots.view.setBigUint64(8 * i, BigInt(this.#slots.address + 512 + 8 * i), true);
    this.#table = JSON.parse(readFileSync(join(KERNELS_FOLDER, 'kernels.json'), 'utf8')) as KernelTable;
    this.#module = this.loadModule(this.#image());
    this.#staging = new Staging(this);
  }

  /** Calls the driver. @throws AppError `cuda_failed`, `gpu_lost` */
  call(name: keyof Driver, ...args: Parameters<Driver[keyof Driver]>): void {
    const code = this.driver[name](...args);
    if (code !== 0) throw this.#failure(name, code);
  }

  #failure(what: string, code: number) {
    return (CONTEXT_LOST.includes(code) ? gpuLost : cudaFailed)(what, code, this.#errorName(code));
  }

  #errorName(code: number): string {
    if (this.driver.cuGetErrorName(code, this.#out) !== 0) return 'unknown error';
    const known: Record<number, string> = {
      1: 'invalid value',
      2: 'out of memory',
      209: 'no kernel for this GPU',
      218: 'invalid PTX',
      222: 'PTX of a newer driver',
      400: 'invalid handle',
      500: 'not found',
      700: 'illegal address',
      701: 'launch out of resources',
      716: 'misaligned address',
      719: 'launch failed',
    };
    return known[code] ?? 'CUDA error';
  }

  #handle(): number {
    return Number(this.#out.readBigUInt64LE(0));
  }

  #attribute(which: number): number {
    this.call('cuDeviceGetAttribute', this.#out, which, this.#ordinal);
    return this.#out.readInt32LE(0);
  }

  /** The cubin of this generation, or of an earlier one of the same family; else the PTX, its version as the driver takes it. */
  #image(): Buffer {
    const family = Math.floor(this.capability / 10);
    const fitting = GENERATIONS.map(Number).filter((own) => own <= this.capability && Math.floor(own / 10) === family);
    const own = fitting.at(-1);
    if (own !== undefined) return unpacked(`sm_${own}.cubin.gz`);
    const ptx = unpacked('kernels.ptx.gz').toString('latin1');
    return Buffer.from(`${ptx.replace(/^\.version [\d.]+/m, `.version ${this.#ptxVersion()}`)}\0`, 'latin1');
  }

  /** The newest version of PTX that the driver knows, of those that our kernels can be written in. */
  #ptxVersion(): string {
    this.call('cuDriverGetVersion', this.#out);
    const version = this.#out.readInt32LE(0);
    if (version >= 13000) return '9.0';
    return version >= 12000 ? '8.0' : '7.1';
  }

  /** @throws AppError `cuda_failed` */
  loadModule(image: Buffer): number {
    this.call('cuModuleLoadData', this.#out, image);
    return this.#handle();
  }

  /** A kernel by name, made ready for so much dynamic shared memory. @throws AppError `cuda_failed` */
  kernel(name: string, shared = 0): Kernel {
    const known = this.#kernels.get(name);
    if (known !== undefined) return known;
    this.call('cuModuleGetFunction', this.#out, this.#module, name);
    const handle = this.#handle();
    const kernel = {
      name,
      handle,
      parameters: this.#table.kernels[name]?.parameters ?? '',
      special: this.#special(name),
    };
    if (shared > 48 * 1024) this.call('cuFuncSetAttribute', kernel.handle, MAX_DYNAMIC_SHARED, shared);
    this.#kernels.set(name, kernel);
    return kernel;
  }

  /**
   * From now on takes kernels that were compiled for a model where they fit the arguments of a launch.
   * @throws AppError `cuda_failed` where the driver does not take them; all is as before then
   */
  specialise({ cubin, lastArguments }: Pick<SpecialisedKernels, 'cubin' | 'lastArguments'>): void {
    const module = this.loadModule(cubin);
    try {
      for (const name of lastArguments.keys()) this.call('cuModuleGetFunction', this.#out, module, name);
    } catch (error) {
      this.driver.cuModuleUnload(module);
      throw error;
    }
    this.generalise();
    this.#specialised = { module, lastArguments };
    this.#kernels.clear();
  }

  /** From now on takes the kernels for any model alone. */
  generalise(): void {
    if (this.#specialised === null) return;
    this.wait();
    this.driver.cuModuleUnload(this.#specialised.module);
    this.#specialised = null;
    this.#kernels.clear();
  }

  #special(name: string): Kernel['special'] {
    const lastArguments = this.#specialised?.lastArguments.get(name);
    if (this.#specialised === null || lastArguments === undefined) return null;
    this.call('cuModuleGetFunction', this.#out, this.#specialised.module, name);
    return { handle: this.#handle(), lastArguments };
  }

  /** Queues a kernel. `args` in the order of its parameters; null is the null pointer. @throws AppError `cuda_failed` */
  launch(name: string, { x, y = 1, threads, shared = 0 }: Grid, ...args: readonly (number | null)[]): void {
    if (x === 0) return;
    const kernel = this.kernel(name, shared);
    const { view, address } = this.#slots;
    const types = kernel.parameters;
    if (types.length !== args.length)
      throw new RangeError(`${name} takes ${types.length} arguments, not ${args.length}`);
    for (let i = 0; i < types.length; i++) {
      const value = args[i] ?? 0;
      const at = 512 + 8 * i;
      if (types.charCodeAt(i) === 102) view.setFloat32(at, value, true);
      else {
        view.setUint32(at, value, true);
        view.setUint32(at + 4, Math.floor(value / 0x1_0000_0000), true);
      }
    }
    const { special } = kernel;
    const handle = special !== null && fits(special.lastArguments, args) ? special.handle : kernel.handle;
    const code = this.driver.cuLaunchKernel(handle, x, y, 1, threads, 1, 1, shared, this.stream, address, 0);
    if (code !== 0) throw this.#failure(`launching ${name}`, code);
  }

  /** Waits until all that was queued is done. */
  wait(): void {
    this.call('cuStreamSynchronize', this.stream);
  }

  allocate(bytes: number): number {
    this.call('cuMemAlloc_v2', this.#out, bytes);
    return this.#handle();
  }

  free(pointer: number): void {
    this.call('cuMemFree_v2', pointer);
  }

  /** Bytes that are free, and all, on this GPU. */
  memory(): { free: number; total: number } {
    this.call('cuMemGetInfo_v2', this.#out, this.#out.subarray(8));
    return { free: this.#handle(), total: Number(this.#out.readBigUInt64LE(8)) };
  }

  /** Copies to the device, behind what is queued and before what will be; `values` may change after the call. */
  upload(pointer: number, values: ArrayBufferView): void {
    const bytes = values.byteLength;
    if (bytes === 0) return;
    const staged = this.#staging.place(values);
    if (staged === null) this.call('cuMemcpyHtoD_v2', pointer, values, bytes);
    else this.call('cuMemcpyHtoDAsync_v2', pointer, staged, bytes, this.stream);
  }

  /** Page-locked memory of the host. @throws AppError `cuda_failed` */
  pinned(bytes: number): { address: number; bytes: Uint8Array } {
    this.call('cuMemHostAlloc', this.#out, bytes, 0);
    const address = this.#handle();
    return { address, bytes: viewOf(address, bytes) };
  }

  /** Waits for what is queued and copies from the device. */
  download(values: ArrayBufferView, pointer: number): void {
    if (values.byteLength === 0) return;
    this.call('cuMemcpyDtoH_v2', values, pointer, values.byteLength);
  }

  /** Queues zeros; `bytes` a multiple of 4. */
  clear(pointer: number, bytes: number): void {
    if (bytes > 0) this.call('cuMemsetD32Async', pointer, 0, bytes / 4, this.stream);
  }

  createEvent(): number {
    this.call('cuEventCreate', this.#out, 0);
    return this.#handle();
  }

  record(event: number): void {
    this.call('cuEventRecord', event, this.stream);
  }

  awaitEvent(event: number): void {
    this.call('cuEventSynchronize', event);
  }

  /** Milliseconds between two recorded events; waits for the second. */
  elapsed(first: number, second: number): number {
    this.awaitEvent(second);
    this.call('cuEventElapsedTime_v2', this.#out, first, second);
    return this.#out.readFloatLE(0);
  }

  close(): void {
    this.driver.cuStreamSynchronize(this.stream);
    this.driver.cuStreamDestroy_v2(this.stream);
    if (this.#specialised !== null) this.driver.cuModuleUnload(this.#specialised.module);
    this.driver.cuModuleUnload(this.#module);
    this.driver.cuDevicePrimaryCtxRelease_v2(this.#ordinal);
  }
}

function unpacked(name: string): Buffer {
  return gunzipSync(readFileSync(join(KERNELS_FOLDER, name)));
}

function load(): Driver {
  try {
    return loadDriver();
  } catch (error) {
    throw noDriver(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
  }
}
