// Mistakes on purpose, for tools that are to find them: a tool that finds none of these does not see our kernels.
import { nativeMemory } from '../../python-free-trainer/src/ffi/driver.ts';
import type { Device } from '../../python-free-trainer/src/gpu/device.ts';

/** Two warps write and read one word of shared memory, and none waits for the other. */
const RACE = `.version 7.1
.target sm_80
.address_size 64
.visible .entry planted_race(.param .u64 out)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  .shared .align 4 .b32 cell;
  mov.u32 %r1, %tid.x;
  st.shared.u32 [cell], %r1;
  ld.shared.u32 %r2, [cell];
  ld.param.u64 %rd1, [out];
  st.global.u32 [%rd1], %r2;
  ret;
}
`;

/** Writes 32 floats behind the end of an allocation of 64 (where the driver hands out 512 bytes, nothing is hurt). */
export function writeBehind(device: Device): void {
  const [to, from] = [device.allocate(64 * 4), device.allocate(96 * 2)];
  device.clear(from, 96 * 2);
  device.launch('widen_rows', { x: 1, threads: 96 }, to, from, 96, 1, 96);
  device.wait();
  for (const pointer of [to, from]) device.free(pointer);
}

/** Reads 64 numbers that nobody wrote. */
export function readUnwritten(device: Device): void {
  const [to, from] = [device.allocate(128), device.allocate(128)];
  device.launch('copy_columns', { x: 1, threads: 64 }, to, 64, from, 64, 1, 64);
  device.wait();
  for (const pointer of [to, from]) device.free(pointer);
}

/** Two warps race for a word of shared memory. */
export function race(device: Device): void {
  const module = device.loadModule(Buffer.from(`${RACE}\0`, 'latin1'));
  const handle = Buffer.alloc(8);
  device.call('cuModuleGetFunction', handle, module, 'planted_race');
  const to = device.allocate(4);
  const { address, view } = nativeMemory(16);
  view.setBigUint64(0, BigInt(address + 8), true);
  view.setBigUint64(8, BigInt(to), true);
  const kernel = Number(handle.readBigUInt64LE(0));
  device.call('cuLaunchKernel', kernel, 1, 1, 1, 64, 1, 1, 0, device.stream, address, 0);
  device.wait();
  device.free(to);
  device.call('cuModuleUnload', module);
}
