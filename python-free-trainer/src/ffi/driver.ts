import koffi from 'koffi';

/**
 * The CUDA driver by FFI. Pointers and handles cross as Numbers declared `int64`: device addresses lie below 2^53, and a
 * Number costs less than a bigint. Never `.async`: the threads that would run it have no current context.
 */
const P = 'int64';
const I = 'int';
const U = 'uint';
const Z = 'size_t';
const V = 'void *';

const SIGNATURES = {
  cuInit: [U],
  cuDriverGetVersion: [V],
  cuDeviceGetCount: [V],
  cuDeviceGet: [V, I],
  cuDeviceGetName: [V, I, I],
  cuDeviceGetAttribute: [V, I, I],
  cuDeviceTotalMem_v2: [V, I],
  cuDevicePrimaryCtxRetain: [V, I],
  cuDevicePrimaryCtxRelease_v2: [I],
  cuCtxSetCurrent: [P],
  cuCtxSynchronize: [],
  cuModuleLoadData: [V, V],
  cuModuleUnload: [P],
  cuModuleGetFunction: [V, P, 'str'],
  cuFuncSetAttribute: [P, I, I],
  cuMemAlloc_v2: [V, Z],
  cuMemFree_v2: [P],
  cuMemGetInfo_v2: [V, V],
  cuMemcpyHtoD_v2: [P, V, Z],
  cuMemcpyDtoH_v2: [V, P, Z],
  cuMemcpyHtoDAsync_v2: [P, P, Z, P],
  cuMemcpyDtoDAsync_v2: [P, P, Z, P],
  cuMemsetD32Async: [P, U, Z, P],
  cuMemHostAlloc: [V, Z, U],
  cuMemFreeHost: [P],
  cuStreamCreate: [V, U],
  cuStreamSynchronize: [P],
  cuStreamDestroy_v2: [P],
  cuEventCreate: [V, U],
  cuEventRecord: [P, P],
  cuEventSynchronize: [P],
  cuEventElapsedTime_v2: [V, P, P],
  cuLaunchKernel: [P, U, U, U, U, U, U, U, P, P, P],
  cuGetErrorName: [I, V],
} as const;

export type DriverCall = keyof typeof SIGNATURES;
type Arguments = (number | bigint | string | Buffer | ArrayBufferView)[];
export type Driver = { readonly [Name in DriverCall]: (...args: Arguments) => number };

/** Where the driver's library is: `SQL_AGENT_CUDA_DRIVER` names another file. */
export function driverFile(env: NodeJS.ProcessEnv = process.env, platform = process.platform): string {
  return env['SQL_AGENT_CUDA_DRIVER'] ?? (platform === 'win32' ? 'nvcuda.dll' : 'libcuda.so.1');
}

/** Loads the driver's library. @throws Error of the loader where there is none, or an older one that lacks a call */
export function loadDriver(file: string = driverFile()): Driver {
  const library = koffi.load(file);
  const calls = Object.entries(SIGNATURES).map(([name, parameters]) => {
    // CUDA 12.8 renamed the call; older drivers have the first name alone, with the same arguments.
    const names = name === 'cuEventElapsedTime_v2' ? [name, 'cuEventElapsedTime'] : [name];
    return [name, first(names, (symbol) => library.func(symbol, I, [...parameters]))];
  });
  return Object.fromEntries(calls) as Driver;
}

function first<T>(names: readonly string[], load: (name: string) => T): T {
  const [name = '', ...others] = names;
  try {
    return load(name);
  } catch (error) {
    if (others.length === 0) throw error;
    return first(others, load);
  }
}

/** Memory outside of V8's heap that stays where it is. */
export function nativeMemory(bytes: number): { address: number; view: DataView } {
  const address = koffi.alloc('uint8_t', bytes);
  return { address: Number(koffi.address(address)), view: new DataView(koffi.view(address, bytes)) };
}

/** Memory at an address, as bytes; it belongs to whoever allocated it. */
export function viewOf(address: number, bytes: number): Uint8Array {
  return new Uint8Array(koffi.view(BigInt(address), bytes));
}
