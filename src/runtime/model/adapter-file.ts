import { type FileHandle, open } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { adapterAbsent, adapterUnusable } from './errors.ts';
import { LOCAL_MODELS, type LocalModelName, readModelEntry } from './manifest.ts';

/** What the file of an adapter says of itself. */
export interface AdapterFile {
  /** Absolute path. */
  path: string;
  /** Name of the base model for people; null where the file does not tell. */
  baseName: string | null;
  /** SHA-256 of the base that it was trained on; null where the file does not tell, as of adapters of other programs. */
  baseHash: string | null;
}

/** Name of the file that a training run writes. */
const OF_A_RUN = 'adapter.gguf';
/** Enough for all metadata of an adapter, which has no vocabulary. */
const HEADER_BYTES = 1 << 20;
/** 'GGUF', little-endian. */
const MAGIC = 0x46554747;
/** Bytes of the values of fixed size, by the number of their type (gguf.md, `gguf_metadata_value_type`). */
const SIZES = new Map([...[0, 1, 7].map((type) => [type, 1] as const), [2, 2], [3, 2], [4, 4], [5, 4], [6, 4]]);
for (const type of [10, 11, 12]) SIZES.set(type, 8);
const STRING = 8;
const ARRAY = 9;

/** Goes through the metadata of a GGUF file. Reading behind the end throws a RangeError. */
class Metadata {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  u32(): number {
    this.#at += 4;
    return this.#bytes.readUInt32LE(this.#at - 4);
  }

  u64(): number {
    this.#at += 8;
    return Number(this.#bytes.readBigUInt64LE(this.#at - 8));
  }

  string(): string {
    const [from, length] = [this.#at + 8, this.u64()];
    if (from + length > this.#bytes.length) throw new RangeError('a text ends behind the end');
    this.#at = from + length;
    return this.#bytes.toString('utf8', from, this.#at);
  }

  /** The next value where it is a text; others are passed over. */
  value(type = this.u32()): string | null {
    if (type === STRING) return this.string();
    if (type === ARRAY) {
      const [items, count] = [this.u32(), this.u64()];
      for (let item = 0; item < count; item += 1) this.value(items);
      return null;
    }
    const size = SIZES.get(type);
    if (size === undefined) throw new RangeError(`there is no type ${type}`);
    this.#at += size;
    if (this.#at > this.#bytes.length) throw new RangeError('a value ends behind the end');
    return null;
  }
}

/** The texts among the metadata of a GGUF file. @throws RangeError where they are damaged */
function textsOf(bytes: Buffer): Map<string, string> | null {
  if (bytes.length < 24 || bytes.readUInt32LE(0) !== MAGIC) return null;
  const metadata = new Metadata(bytes);
  metadata.u32();
  metadata.u32();
  metadata.u64();
  const count = metadata.u64();
  const texts = new Map<string, string>();
  for (let pair = 0; pair < count; pair += 1) {
    const key = metadata.string();
    const text = metadata.value();
    if (text !== null) texts.set(key, text);
  }
  return texts;
}

async function headerOf(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** Opens a file. @throws AppError `adapter_missing` where there is none, `adapter_unusable` */
async function openAdapter(path: string): Promise<FileHandle> {
  return await open(path).catch((error: unknown) => {
    const isAbsent = error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
    throw isAbsent ? adapterAbsent(path) : adapterUnusable(path, `cannot be read (${String(error)})`);
  });
}

/**
 * Reads what a LoRA adapter (GGUF, https://github.com/ggml-org/ggml/blob/master/docs/gguf.md) says of itself; its numbers
 * are not read.
 * @param path absolute
 * @throws AppError `adapter_missing` where there is no such file, `adapter_unusable` where it is none
 */
export async function readAdapterFile(path: string): Promise<AdapterFile> {
  await using file = await openAdapter(path);
  if (!(await file.stat()).isFile()) throw adapterUnusable(path, 'is no file');
  let texts: Map<string, string> | null;
  try {
    texts = textsOf(await headerOf(file));
  } catch (error) {
    throw adapterUnusable(path, `is damaged (${error instanceof Error ? error.message : String(error)})`);
  }
  if (texts === null) throw adapterUnusable(path, 'is no GGUF file');
  if (texts.get('adapter.type') !== 'lora') throw adapterUnusable(path, 'is a GGUF file, but holds no LoRA adapter');
  return {
    path,
    baseName: texts.get('general.base_model.0.name') ?? null,
    baseHash: texts.get('sql_agent.base_sha256') ?? null,
  };
}

/** The local model that a file is the base of, by its SHA-256; null: none of them. */
export function localModelOfHash(sha256: string | null): LocalModelName | null {
  return LOCAL_MODELS.find((name) => readModelEntry(name).base.sha256 === sha256) ?? null;
}

/** What an adapter is called: by its training run where it lies in one, else by its file. */
export function adapterTitle(path: string): string {
  return basename(path) === OF_A_RUN ? basename(dirname(path)) : basename(path, '.gguf');
}
