import { modelUnreadable, modelUnsupported } from './errors.ts';
import { FLOAT32, FLOAT64, GgufCursor, type GgufValue, Malformed, NeedsMoreBytes } from './gguf-cursor.ts';
import { type BlockType, TENSOR_TYPES } from './gguf-types.ts';
import { ModelFile } from './model-file.ts';

/** A tensor of a GGUF file. */
export interface GgufTensorInfo {
  name: string;
  /** Row-major, as in PyTorch ([out, in]): the file's own order turned round. */
  shape: readonly number[];
  type: BlockType;
  /** Where its bytes begin in the file, and how many they are. */
  position: number;
  bytes: number;
}

interface Header {
  version: number;
  metadata: ReadonlyMap<string, GgufValue>;
  /** Names of the metadata that are floats: a damaged type would otherwise make another number of the same bytes. */
  floats: ReadonlySet<string>;
  tensors: ReadonlyMap<string, GgufTensorInfo>;
}

/** An open GGUF file: its header, and tensors that are read one at a time. */
export interface GgufFile extends Header {
  readonly file: ModelFile;
  /** The bytes of a tensor as they stand in the file. @throws AppError `model_unreadable` */
  readRaw(tensor: GgufTensorInfo): Promise<Uint8Array<ArrayBuffer>>;
  close(): Promise<void>;
}

/** 'GGUF', little-endian. */
const MAGIC = 0x46554747;
const DEFAULT_ALIGNMENT = 32;
const FIRST_BYTES = 4 << 20;
/** Far above the header of any model: a vocabulary of 500,000 tokens with its merges has 30 MB. */
const MOST_HEADER_BYTES = 512 << 20;
const MOST_DIMENSIONS = 4;
/** A key with an empty text; a name, one dimension, type and offset. */
const LEAST_PAIR_BYTES = 13;
const LEAST_TENSOR_BYTES = 32;

/**
 * Opens a GGUF file (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md) of version 2 or 3 and checks its header as
 * llama.cpp does: no key or name twice, tensors one behind the other, all of them inside the file.
 * @throws AppError `model_missing`, `model_unreadable`, `model_unsupported`
 */
export async function readGguf(path: string): Promise<GgufFile> {
  const file = await ModelFile.open(path);
  try {
    const header = await readHeader(file);
    return {
      ...header,
      file,
      readRaw: ({ position, bytes }) => file.read(position, bytes),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Parses as many of the first bytes as the header turns out to need. */
async function readHeader(file: ModelFile): Promise<Header> {
  for (let length = FIRST_BYTES; ; length *= 4) {
    const bytes = await file.read(0, Math.min(length, file.bytes));
    try {
      return parseHeader(new GgufCursor(bytes, file.bytes), file);
    } catch (error) {
      if (error instanceof Malformed) throw modelUnreadable(file.path, error.message);
      if (!(error instanceof NeedsMoreBytes)) throw error;
      if (length > MOST_HEADER_BYTES) throw modelUnreadable(file.path, 'its metadata are absurdly long');
    }
  }
}

function parseHeader(cursor: GgufCursor, file: ModelFile): Header {
  if (cursor.u32('the beginning') !== MAGIC) throw new Malformed('it does not begin as a GGUF file does');
  const version = cursor.u32('the version');
  checkVersion(version, file.path);
  const tensorCount = cursor.count('the number of tensors', LEAST_TENSOR_BYTES);
  const pairCount = cursor.count('the number of metadata', LEAST_PAIR_BYTES);
  const metadata = new Map<string, GgufValue>();
  const floats = new Set<string>();
  for (let i = 0; i < pairCount; i++) {
    const key = cursor.string(`the name of metadata ${i + 1} of ${pairCount}`);
    if (metadata.has(key)) throw new Malformed(`it has the metadata ${key} twice`);
    const { type, value } = cursor.value(`the metadata ${key}`);
    metadata.set(key, value);
    if (type === FLOAT32 || type === FLOAT64) floats.add(key);
  }
  const tensors = readTensors(cursor, tensorCount);
  return { version, metadata, floats, tensors: place(tensors, cursor.position, alignmentOf(metadata), file.bytes) };
}

function checkVersion(version: number, path: string): void {
  if (version === 2 || version === 3) return;
  if (version >= 1 << 16 || version === 0) throw new Malformed('its version is absurd, or its numbers are big-endian');
  throw modelUnsupported(path, `it is of version ${version} of GGUF, where 2 and 3 are known`);
}

/** A tensor whose `position` still counts from the beginning of the data. */
function readTensors(cursor: GgufCursor, count: number): Map<string, GgufTensorInfo> {
  const tensors = new Map<string, GgufTensorInfo>();
  for (let i = 0; i < count; i++) {
    const name = cursor.string(`the name of tensor ${i + 1} of ${count}`);
    if (tensors.has(name)) throw new Malformed(`it has the tensor ${name} twice`);
    const dimensions = cursor.u32(`the number of dimensions of ${name}`);
    if (dimensions > MOST_DIMENSIONS) throw new Malformed(`the tensor ${name} has ${dimensions} dimensions`);
    const shape = Array.from({ length: dimensions }, () => cursor.size(`the shape of ${name}`)).reverse();
    const typeNumber = cursor.u32(`the type of ${name}`);
    const type = TENSOR_TYPES.get(typeNumber);
    if (!type) throw new Malformed(`the tensor ${name} has the unknown type ${typeNumber}`);
    tensors.set(name, { name, shape, type, position: cursor.size(`the offset of ${name}`), bytes: 0 });
  }
  return tensors;
}

function alignmentOf(metadata: ReadonlyMap<string, GgufValue>): number {
  const value = metadata.get('general.alignment') ?? DEFAULT_ALIGNMENT;
  if (typeof value !== 'number' || value < 1 || value > 1 << 20 || !Number.isInteger(Math.log2(value)))
    throw new Malformed(`its alignment is absurd: ${String(value)}`);
  return value;
}

function place(
  tensors: ReadonlyMap<string, GgufTensorInfo>,
  headerEnd: number,
  alignment: number,
  fileBytes: number,
): ReadonlyMap<string, GgufTensorInfo> {
  const align = (position: number): number => Math.ceil(position / alignment) * alignment;
  const start = align(headerEnd);
  let end = start;
  const placed = new Map<string, GgufTensorInfo>();
  for (const [name, tensor] of tensors) {
    const bytes = bytesOf(tensor);
    const position = start + tensor.position;
    if (position !== align(end))
      throw new Malformed(`the tensor ${name} begins at byte ${position}, where ${align(end)} is the next free one`);
    end = position + bytes;
    if (end > fileBytes)
      throw new Malformed(`the tensor ${name} ends at byte ${end}, where the file has ${fileBytes} (truncated?)`);
    placed.set(name, { ...tensor, position, bytes });
  }
  if (fileBytes > align(end))
    throw new Malformed(`it has ${fileBytes} bytes, where its header describes ${align(end)}`);
  return placed;
}

function bytesOf({ name, shape, type }: GgufTensorInfo): number {
  const row = shape.at(-1) ?? 1;
  if (row % type.size !== 0)
    throw new Malformed(`the tensor ${name} has rows of ${row} elements, which ${type.name} cannot hold`);
  return (shape.reduce((product, size) => product * size, 1) / type.size) * type.bytes;
}
