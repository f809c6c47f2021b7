import type { TypedValue } from './gguf-bytes.ts';
import { GgufCursor } from './gguf-cursor.ts';
import { readGguf } from './gguf-read.ts';

/** Magic number, version, count of tensors and count of metadata. */
const PREAMBLE_BYTES = 24;

/**
 * The metadata of a GGUF file for another one, byte for byte: what they mean need not be known.
 * @throws AppError `model_missing`, `model_unreadable`, `model_unsupported`
 */
export async function copyMetadata(path: string): Promise<Map<string, TypedValue>> {
  const source = await readGguf(path);
  try {
    const firstTensor = Math.min(...Array.from(source.tensors.values(), ({ position }) => position), source.file.bytes);
    const header = await source.file.read(0, firstTensor);
    const cursor = new GgufCursor(header, source.file.bytes);
    cursor.position = PREAMBLE_BYTES;
    const copied = new Map<string, TypedValue>();
    for (const _ of source.metadata) {
      const key = cursor.string('a key of the metadata');
      const from = cursor.position;
      cursor.value(key);
      copied.set(key, { type: 'copy', bytes: header.subarray(from, cursor.position) });
    }
    return copied;
  } finally {
    await source.close();
  }
}
