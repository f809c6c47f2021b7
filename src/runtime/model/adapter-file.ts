import { type FileHandle, open, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { AppError } from '../../protocol/errors.ts';
import { adapterAbsent, adapterUnusable } from './errors.ts';
import { type GgufHeader, readGgufHeader } from './gguf-header.ts';
import { LOCAL_MODELS, type LocalModelName, readModelEntry } from './manifest.ts';

/** What the file of an adapter says of itself. */
export interface AdapterFile {
  /** Absolute path. */
  path: string;
  /** Name of the base model for people; null where the file does not tell. */
  baseName: string | null;
  /** SHA-256 of the base that it was trained on; null where the file does not tell, as of adapters of other programs. */
  baseHash: string | null;
  /** Its training data held repairs, so that it can be shown the error of its query. */
  repairs: boolean;
}

/** Name of the file that a training run writes. */
const OF_A_RUN = 'adapter.gguf';
/** Enough for the header of an adapter, which has no vocabulary. */
const HEADER_BYTES = 1 << 20;

async function headerOf(file: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** Opens a file. @throws AppError `adapter_missing` where there is none, `adapter_unusable` */
async function openAdapter(path: string): Promise<{ file: FileHandle; bytes: number }> {
  try {
    // Opening a pipe would wait for someone to write into it.
    const status = await stat(path);
    if (!status.isFile()) throw adapterUnusable(path, 'is no file');
    return { file: await open(path), bytes: status.size };
  } catch (error) {
    if (error instanceof AppError) throw error;
    const isAbsent = error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
    throw isAbsent ? adapterAbsent(path) : adapterUnusable(path, `cannot be read (${messageOf(error)})`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What makes a file useless as an adapter, as its header tells; null: nothing. @param bytes of the file */
function faultOf({ texts, tensors, wholeBytes }: GgufHeader, bytes: number): string | null {
  const isCut = wholeBytes === null && bytes <= HEADER_BYTES;
  if (texts.get('adapter.type') !== 'lora' && !isCut) return 'is a GGUF file, but holds no LoRA adapter';
  if (isCut) return `is damaged (its ${bytes} bytes end within its header)`;
  if (tensors === 0) return 'is a LoRA adapter without any numbers';
  if (wholeBytes === null) return 'is damaged (its header has no end)';
  return bytes < wholeBytes ? `is damaged (it has ${bytes} bytes in place of ${wholeBytes})` : null;
}

/**
 * Reads what a LoRA adapter (GGUF) says of itself, and whether it is whole; its numbers are not read.
 * @param path absolute
 * @throws AppError `adapter_missing` where there is no such file, `adapter_unusable` where it is none
 */
export async function readAdapterFile(path: string): Promise<AdapterFile> {
  const { file: opened, bytes } = await openAdapter(path);
  await using file = opened;
  let header: GgufHeader | null;
  try {
    header = readGgufHeader(await headerOf(file));
  } catch (error) {
    throw adapterUnusable(path, `is damaged (${messageOf(error)})`);
  }
  if (header === null) throw adapterUnusable(path, 'is no GGUF file');
  const fault = faultOf(header, bytes);
  if (fault !== null) throw adapterUnusable(path, fault);
  return {
    path,
    baseName: header.texts.get('general.base_model.0.name') ?? null,
    baseHash: header.texts.get('sql_agent.base_sha256') ?? null,
    repairs: header.texts.get('sql_agent.repairs') === 'true',
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
