import type { Gpu } from '../../gpu/device.ts';
import type { CudaTensor } from './tensors.ts';

type Floats = Float32Array | Float64Array;
const THREADS = 256;
/** Floats that are moved at once where they change their type on the way. */
const PIECE = 2 ** 24;

/** Values to the device, narrowed to bfloat16 there where the tensor is. */
export function upload(device: Gpu, tensor: CudaTensor, values: Floats): void {
  const { rows, cols } = tensor;
  if (values.length !== rows * cols) throw new RangeError(`${values.length} values for a tensor of ${rows * cols}`);
  const floats = values instanceof Float32Array ? values : Float32Array.from(values);
  if (tensor.kind === 'exact') {
    device.upload(tensor.pointer, floats);
    return;
  }
  device.clear(tensor.pointer, tensor.bytes);
  overPieces(device, tensor, (scratch, row, count) => {
    device.upload(scratch, floats.subarray(row * cols, (row + count) * cols));
    const grid = { x: Math.ceil((count * cols) / THREADS), threads: THREADS };
    device.launch('narrow_rows', grid, tensor.pointer + row * tensor.stride * 2, tensor.stride, scratch, count, cols);
  });
}

/** Values from the device. */
export function download(device: Gpu, tensor: CudaTensor): Float32Array {
  const { rows, cols } = tensor;
  const values = new Float32Array(rows * cols);
  if (tensor.kind === 'exact') {
    device.download(values, tensor.pointer);
    return values;
  }
  overPieces(device, tensor, (scratch, row, count) => {
    const grid = { x: Math.ceil((count * cols) / THREADS), threads: THREADS };
    device.launch('widen_rows', grid, scratch, tensor.pointer + row * tensor.stride * 2, tensor.stride, count, cols);
    device.download(values.subarray(row * cols, (row + count) * cols), scratch);
  });
  return values;
}

function overPieces(
  device: Gpu,
  { rows, cols }: CudaTensor,
  move: (scratch: number, row: number, count: number) => void,
): void {
  const step = Math.max(1, Math.floor(PIECE / cols));
  const scratch = device.allocate(Math.min(step, rows) * cols * 4);
  try {
    for (let row = 0; row < rows; row += step) move(scratch, row, Math.min(step, rows - row));
    device.wait();
  } finally {
    device.free(scratch);
  }
}
