import type { FileHandle } from 'node:fs/promises';
import { AppError } from '../../../src/protocol/errors.ts';
import { fileNotWritten } from './errors.ts';
import { GgufBytes, type TypedValue } from './gguf-bytes.ts';
import { type StoredType, storedBytes } from './quantise.ts';
import { replaceFile } from './replace-file.ts';

const MAGIC = 0x46554747;
const VERSION = 3;
/** Tensors begin at multiples of this many bytes: the format's default, so that it need not be named. */
const ALIGNMENT = 32;

/** ggml's numbers of the types that are written. */
const TENSOR_TYPES: Record<StoredType, number> = { F32: 0, F16: 1, Q8_0: 8 };

/** A tensor to be written. */
export interface GgufTensorToWrite {
  name: string;
  /** Row-major, as in PyTorch ([out, in]); the file has it the other way round. */
  shape: readonly number[];
  type: StoredType;
  /** Its bytes, in pieces. Called once, when its turn comes. */
  data(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

function header(metadata: ReadonlyMap<string, TypedValue>, tensors: readonly GgufTensorToWrite[]): Uint8Array {
  const bytes = new GgufBytes();
  bytes.u32(MAGIC);
  bytes.u32(VERSION);
  bytes.u64(tensors.length);
  bytes.u64(metadata.size);
  for (const [key, value] of metadata) bytes.entry(key, value);
  let offset = 0;
  for (const { name, shape, type } of tensors) {
    bytes.string(name);
    bytes.u32(shape.length);
    for (const size of shape.toReversed()) bytes.u64(size);
    bytes.u32(TENSOR_TYPES[type]);
    bytes.u64(offset);
    offset += aligned(tensorBytes({ shape, type }));
  }
  bytes.pad(ALIGNMENT);
  return bytes.bytes();
}

function tensorBytes({ shape, type }: Pick<GgufTensorToWrite, 'shape' | 'type'>): number {
  return storedBytes(
    type,
    shape.reduce((product, size) => product * size, 1),
  );
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

async function writeTensor(file: FileHandle, tensor: GgufTensorToWrite): Promise<void> {
  const expected = tensorBytes(tensor);
  let written = 0;
  for await (const piece of tensor.data()) {
    await file.writeFile(piece);
    written += piece.byteLength;
  }
  if (written !== expected) throw new Error(`${tensor.name} has ${written} bytes instead of ${expected}`);
  await file.writeFile(new Uint8Array(aligned(written) - written));
}

/**
 * Writes a GGUF file of version 3, tensor by tensor, whole or not at all.
 * @throws AppError `file_not_written`, and what `data` throws
 */
export async function writeGguf(
  path: string,
  metadata: ReadonlyMap<string, TypedValue>,
  tensors: readonly GgufTensorToWrite[],
): Promise<void> {
  try {
    await replaceFile(path, async (file) => {
      await file.writeFile(header(metadata, tensors));
      for (const tensor of tensors) await writeTensor(file, tensor);
    });
  } catch (error) {
    throw error instanceof AppError ? error : fileNotWritten(path, error);
  }
}
