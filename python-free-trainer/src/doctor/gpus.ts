/** A GPU as its driver tells it. */
export interface Gpu {
  name: string;
  memoryBytes: number;
  /** "9.0". */
  capability: string;
}

/** What was found of the NVIDIA driver. */
export interface DriverReport {
  /** The library that was looked for. */
  file: string;
  /** The newest CUDA that the driver runs, "13.0"; null: no driver. */
  version: string | null;
  gpus: Gpu[];
  /** Why there is nothing to compute on, a sentence without its subject, and what to do; null: nothing is wrong. */
  problem: string | null;
}

/** Attributes of cuDeviceGetAttribute (cuda.h). */
const MAJOR = 75;
const MINOR = 76;
const NAME_BYTES = 256;

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

/** The driver and its GPUs; never throws. The library is loaded by FFI, as training does. */
export async function probeDriver(env: NodeJS.ProcessEnv): Promise<DriverReport> {
  // Loaded here: where FFI itself does not work, that is what is told.
  const ffi = await import('../ffi/driver.ts').catch((error: unknown) => reasonOf(error));
  if (typeof ffi === 'string')
    return { file: '', version: null, gpus: [], problem: `cannot be asked: koffi does not load here (${ffi})` };
  const file = ffi.driverFile(env);
  try {
    const driver = ffi.loadDriver(file);
    const out = Buffer.alloc(NAME_BYTES);
    const number = (call: () => number) => (call() === 0 ? out.readInt32LE(0) : 0);
    const started = driver.cuInit(0);
    if (started !== 0) {
      const problem = `is there and does not start (CUDA error ${started}): is a GPU built in, and did its kernel module load ("nvidia-smi" says)?`;
      return { file, version: null, gpus: [], problem };
    }
    const version = number(() => driver.cuDriverGetVersion(out));
    const count = number(() => driver.cuDeviceGetCount(out));
    const gpus = Array.from({ length: count }, (_, index): Gpu => {
      const device = number(() => driver.cuDeviceGet(out, index));
      const attribute = (which: number) => number(() => driver.cuDeviceGetAttribute(out, which, device));
      const capability = `${attribute(MAJOR)}.${attribute(MINOR)}`;
      const memoryBytes = driver.cuDeviceTotalMem_v2(out, device) === 0 ? Number(out.readBigUInt64LE(0)) : 0;
      out.fill(0);
      driver.cuDeviceGetName(out, NAME_BYTES, device);
      return { name: out.toString('utf8', 0, out.indexOf(0)), memoryBytes, capability };
    });
    const problem = count === 0 ? 'sees no GPU: is CUDA_VISIBLE_DEVICES set to hide them?' : null;
    return { file, version: `${Math.floor(version / 1000)}.${Math.floor((version % 1000) / 10)}`, gpus, problem };
  } catch (error) {
    const problem = `was not found (${reasonOf(error)}). On a machine with an NVIDIA GPU install its driver; SQL_AGENT_CUDA_DRIVER names the library where the loader does not find it`;
    return { file, version: null, gpus: [], problem };
  }
}
