import * as z from 'zod/mini';
import { modelUnreadable } from './errors.ts';

/** Bytes of one element of each type that a safetensors file may name. */
export const SAFETENSORS_TYPES = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  I64: 8,
  I32: 4,
  I16: 2,
  I8: 1,
  U64: 8,
  U32: 4,
  U16: 2,
  U8: 1,
  BOOL: 1,
} as const;
export type SafetensorsType = keyof typeof SAFETENSORS_TYPES;

/** A tensor of a file; its bytes are those from `position` on, little-endian, row-major. */
export interface SafetensorsEntry {
  name: string;
  dtype: SafetensorsType;
  shape: readonly number[];
  position: number;
  bytes: number;
}

export interface SafetensorsHeader {
  metadata: Readonly<Record<string, string>>;
  tensors: ReadonlyMap<string, SafetensorsEntry>;
}

/** The header's length stands in the first 8 bytes. */
export const LENGTH_BYTES = 8;

/** No writer makes longer headers, and the format forbids them. */
export const MOST_HEADER_BYTES = 100_000_000;

const Natural = z.int().check(z.gte(0));
const Entry = z.object({ dtype: z.string(), shape: z.array(Natural), data_offsets: z.tuple([Natural, Natural]) });
const Metadata = z.record(z.string(), z.string());

/**
 * Checks the header of a safetensors file: known types, bytes that fit the shapes, and tensors that cover everything behind
 * the header exactly once, as https://github.com/huggingface/safetensors demands.
 * @param json the header's bytes
 * @param fileBytes size of the whole file
 * @throws AppError `model_unreadable`
 */
export function parseHeader(path: string, json: Uint8Array, fileBytes: number): SafetensorsHeader {
  const { __metadata__: metadata, ...tensors } = parseObject(path, json);
  const start = LENGTH_BYTES + json.length;
  const entries = Object.entries(tensors).map(([name, value]) => parseEntry(path, name, value, start));
  checkCoverage(path, entries, start, fileBytes);
  const parsed = Metadata.safeParse(metadata ?? {});
  if (!parsed.success) throw modelUnreadable(path, 'the metadata in its header are not texts');
  return { metadata: parsed.data, tensors: new Map(entries.map((entry) => [entry.name, entry])) };
}

function parseObject(path: string, json: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw modelUnreadable(path, 'its header is not a JSON object');
}

function parseEntry(path: string, name: string, value: unknown, start: number): SafetensorsEntry {
  const parsed = Entry.safeParse(value);
  if (!parsed.success) throw modelUnreadable(path, `its header does not describe the tensor ${name}`);
  const { dtype, shape, data_offsets: offsets } = parsed.data;
  if (!isType(dtype)) throw modelUnreadable(path, `the tensor ${name} has the unknown type ${dtype}`);
  const bytes = shape.reduce((product, size) => product * size, SAFETENSORS_TYPES[dtype]);
  if (offsets[1] - offsets[0] !== bytes)
    throw modelUnreadable(
      path,
      `the tensor ${name} has ${offsets[1] - offsets[0]} bytes, where its shape [${shape.join(', ')}] needs ${bytes}`,
    );
  return { name, dtype, shape, position: start + offsets[0], bytes };
}

function isType(dtype: string): dtype is SafetensorsType {
  return Object.hasOwn(SAFETENSORS_TYPES, dtype);
}

function checkCoverage(path: string, entries: readonly SafetensorsEntry[], start: number, fileBytes: number): void {
  let end = start;
  for (const { name, position, bytes } of entries.toSorted((a, b) => a.position - b.position || a.bytes - b.bytes)) {
    if (position !== end)
      throw modelUnreadable(path, `the tensor ${name} begins at byte ${position}, where ${end} is the next free one`);
    end = position + bytes;
  }
  if (end !== fileBytes)
    throw modelUnreadable(path, `it has ${fileBytes} bytes, where its header describes ${end} (truncated?)`);
}
