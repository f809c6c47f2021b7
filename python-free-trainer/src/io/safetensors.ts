import { bf16ToFloat, f16ToFloat } from './dequant-floats.ts';
import { fileNotWritten, modelUnreadable, tensorMissing } from './errors.ts';
import { ModelFile, PIECE_BYTES } from './model-file.ts';
import { replaceFile } from './replace-file.ts';
import {
  LENGTH_BYTES,
  MOST_HEADER_BYTES,
  parseHeader,
  SAFETENSORS_TYPES,
  type SafetensorsEntry,
  type SafetensorsHeader,
  type SafetensorsType,
} from './safetensors-header.ts';

/** Numbers of a tensor in memory. F16 and BF16 become float32; BOOL is 0 or 1. */
type TensorData =
  | Float64Array
  | Float32Array
  | BigInt64Array
  | Int32Array
  | Int16Array
  | Int8Array
  | BigUint64Array
  | Uint32Array
  | Uint16Array
  | Uint8Array;

/** A tensor read as a whole. */
export interface SafetensorsTensor {
  dtype: SafetensorsType;
  shape: readonly number[];
  data: TensorData;
}

/** A tensor to be written; its type follows from the array unless `dtype` says F16 or BF16 (then `data` has the bits). */
export interface TensorToWrite {
  dtype?: 'F16' | 'BF16';
  shape: readonly number[];
  data: Float64Array | Float32Array | Int32Array | Uint16Array | Uint8Array;
}

/** An open safetensors file whose tensors are read one at a time. */
export class SafetensorsFile {
  readonly file: ModelFile;
  readonly metadata: Readonly<Record<string, string>>;
  readonly tensors: ReadonlyMap<string, SafetensorsEntry>;

  private constructor(file: ModelFile, header: SafetensorsHeader) {
    this.file = file;
    this.metadata = header.metadata;
    this.tensors = header.tensors;
  }

  /** Opens a file and checks its header. @throws AppError `model_missing`, `model_unreadable` */
  static async open(path: string): Promise<SafetensorsFile> {
    const file = await ModelFile.open(path);
    try {
      return new SafetensorsFile(file, parseHeader(path, await readHeader(file), file.bytes));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** One tensor. @throws AppError `tensor_missing`, `model_unreadable` where the file changed meanwhile */
  async read(name: string): Promise<SafetensorsTensor> {
    const { dtype, shape, position, bytes } = this.#entry(name);
    const raw = await this.file.read(position, bytes);
    return { dtype, shape, data: toNumbers(dtype, raw) };
  }

  /** One floating-point tensor as float32, into `into` where given. @throws as `read`, and where it is not of floats */
  async readFloats(name: string, into?: Float32Array): Promise<Float32Array> {
    const { dtype, position, bytes } = this.#entry(name);
    const count = bytes / SAFETENSORS_TYPES[dtype];
    const out = into ?? new Float32Array(count);
    if (out.length !== count) throw new RangeError(`${name} has ${count} elements, not ${out.length}`);
    if (dtype === 'F32') {
      await this.file.readInto(new Uint8Array(out.buffer, out.byteOffset, out.byteLength), position);
      return out;
    }
    const convert = CONVERT[dtype];
    if (!convert) throw modelUnreadable(this.file.path, `the tensor ${name} is of type ${dtype}, which are no floats`);
    const buffer = new Uint8Array(Math.min(bytes, PIECE_BYTES));
    for (let done = 0; done < bytes; done += buffer.length) {
      const raw = buffer.subarray(0, Math.min(buffer.length, bytes - done));
      await this.file.readInto(raw, position + done);
      const width = SAFETENSORS_TYPES[dtype];
      convert(raw, out.subarray(done / width, (done + raw.length) / width));
    }
    return out;
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  #entry(name: string): SafetensorsEntry {
    const entry = this.tensors.get(name);
    if (!entry) throw tensorMissing(this.file.path, name);
    return entry;
  }
}

/** A whole file in memory: for adapters, checkpoints and other small ones. @throws AppError as `SafetensorsFile` */
export async function readSafetensors(
  path: string,
): Promise<{ metadata: Readonly<Record<string, string>>; tensors: Map<string, SafetensorsTensor> }> {
  const file = await SafetensorsFile.open(path);
  try {
    const tensors = new Map<string, SafetensorsTensor>();
    for (const name of file.tensors.keys()) tensors.set(name, await file.read(name));
    await file.file.checkUnchanged();
    return { metadata: file.metadata, tensors };
  } finally {
    await file.close();
  }
}

/**
 * Writes a safetensors file, whole or not at all: beside its place first, then flushed to the disk and renamed. The tensors
 * stand in the order of the map.
 * @throws AppError `file_not_written`
 */
export async function writeSafetensors(
  path: string,
  tensors: ReadonlyMap<string, TensorToWrite>,
  metadata: Readonly<Record<string, string>> = {},
): Promise<void> {
  const header: Record<string, unknown> = Object.keys(metadata).length > 0 ? { __metadata__: metadata } : {};
  let end = 0;
  for (const [name, tensor] of tensors) {
    const { shape, data } = tensor;
    if (shape.reduce((product, size) => product * size, 1) !== data.length)
      throw new RangeError(`${name}: ${data.length} elements do not have the shape [${shape.join(', ')}]`);
    header[name] = { dtype: typeOf(tensor), shape, data_offsets: [end, end + data.byteLength] };
    end += data.byteLength;
  }
  try {
    await replaceFile(path, async (file) => {
      await file.writeFile(headerBytes(header));
      for (const { data } of tensors.values())
        await file.writeFile(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    });
  } catch (error) {
    throw fileNotWritten(path, error);
  }
}

/** The header's length and the header, filled up with blanks so that the numbers behind it begin at a multiple of 8. */
function headerBytes(header: Record<string, unknown>): Uint8Array {
  const json = Buffer.from(JSON.stringify(header));
  const padded = Math.ceil(json.length / LENGTH_BYTES) * LENGTH_BYTES;
  const bytes = Buffer.alloc(LENGTH_BYTES + padded, ' ');
  bytes.writeBigUInt64LE(BigInt(padded), 0);
  json.copy(bytes, LENGTH_BYTES);
  return bytes;
}

function typeOf({ dtype, data }: TensorToWrite): SafetensorsType {
  if (dtype) return dtype;
  if (data instanceof Float64Array) return 'F64';
  if (data instanceof Float32Array) return 'F32';
  if (data instanceof Int32Array) return 'I32';
  return data instanceof Uint16Array ? 'U16' : 'U8';
}

async function readHeader(file: ModelFile): Promise<Uint8Array> {
  if (file.bytes < LENGTH_BYTES) throw modelUnreadable(file.path, 'it is too short for a safetensors file');
  const length = Number(Buffer.from(await file.read(0, LENGTH_BYTES)).readBigUInt64LE());
  if (length > MOST_HEADER_BYTES || length < 2)
    throw modelUnreadable(file.path, 'it does not begin as a safetensors file does');
  if (LENGTH_BYTES + length > file.bytes) throw modelUnreadable(file.path, 'it ends within its header (truncated?)');
  return file.read(LENGTH_BYTES, length);
}

function toNumbers(dtype: SafetensorsType, raw: Uint8Array<ArrayBuffer>): TensorData {
  switch (dtype) {
    case 'F64':
      return new Float64Array(raw.buffer);
    case 'F32':
      return new Float32Array(raw.buffer);
    case 'F16':
    case 'BF16':
      return halvesToFloats(dtype, new Uint16Array(raw.buffer));
    case 'I64':
      return new BigInt64Array(raw.buffer);
    case 'U64':
      return new BigUint64Array(raw.buffer);
    case 'I32':
      return new Int32Array(raw.buffer);
    case 'U32':
      return new Uint32Array(raw.buffer);
    case 'I16':
      return new Int16Array(raw.buffer);
    case 'U16':
      return new Uint16Array(raw.buffer);
    case 'I8':
      return new Int8Array(raw.buffer);
    default:
      return raw;
  }
}

function halvesToFloats(dtype: 'F16' | 'BF16', bits: Uint16Array): Float32Array {
  const out = new Float32Array(bits.length);
  if (dtype === 'F16') f16ToFloat(bits, out);
  else bf16ToFloat(bits, out);
  return out;
}

/** How floats of other types become float32. */
const CONVERT: Partial<Record<SafetensorsType, (raw: Uint8Array, out: Float32Array) => void>> = {
  F16: (raw, out) => f16ToFloat(new Uint16Array(raw.buffer, 0, out.length), out),
  BF16: (raw, out) => bf16ToFloat(new Uint16Array(raw.buffer, 0, out.length), out),
  F64: (raw, out) => out.set(new Float64Array(raw.buffer, 0, out.length)),
};
