import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { replaceFile } from '../io/replace-file.ts';
import type { Example } from './conversation.ts';

/** Changes with the code that decides what tokens a line has, or how the file is laid out. */
const VERSION = 3;
const MAGIC = 'SQLTOKEN';
/** Files of the cache that are kept, the last used ones. */
const KEPT = 8;
const ENDING = '.tokens';
/** A file that is still being written is younger. */
const STALE_MS = 3_600_000;

const Counts = z.object({
  lines: z.number(),
  duplicates: z.number(),
  repairs: z.number(),
  tooLong: z.number(),
  longestLeftOut: z.number(),
  tokens: z.number(),
  lossTokens: z.number(),
});

/**
 * A file is MAGIC, the length of the header (u32, little-endian), the SHA-256 of header and body, the header as JSON, and
 * the body: lengths (i32), items (i32), tokens (i32) and losses (u8), in the byte order of the machine, which no other reads.
 */
const Header = z.object({ version: z.literal(VERSION), examples: z.int().check(z.gte(1)), counts: Counts });
const HASH_BYTES = 32;

interface Cached {
  examples: Example[];
  items: Int32Array;
  counts: z.infer<typeof Counts>;
}

/** What the tokens of a data file depend on. */
export interface TokenCacheParts {
  /** SHA-256 of the data file and of the tokenizer with its template. */
  data: string;
  tokenizer: string;
  maxLength: number;
}

/** The name of the cached tokens. */
export function tokenCacheKey({ data, tokenizer, maxLength }: TokenCacheParts): string {
  return createHash('sha256')
    .update(JSON.stringify([VERSION, data, tokenizer, maxLength]))
    .digest('hex')
    .slice(0, 40);
}

/** The cached tokens, or null where there are none or they are damaged. */
export async function readTokenCache(folder: string, key: string): Promise<Cached | null> {
  const path = join(folder, key + ENDING);
  try {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    const start = Buffer.alloc(MAGIC.length + 4 + HASH_BYTES);
    await file.read(start, 0, start.length, 0);
    if (start.toString('latin1', 0, MAGIC.length) !== MAGIC) return null;
    const headerBytes = start.readUInt32LE(MAGIC.length);
    if (start.length + headerBytes > size) return null;
    const header = Buffer.alloc(headerBytes);
    await file.read(header, 0, headerBytes, start.length);
    const body = new Uint8Array(size - start.length - headerBytes);
    await file.read(body, 0, body.length, start.length + headerBytes);
    if (!hashOf(header, body).equals(start.subarray(MAGIC.length + 4))) return null;
    const cached = parseBody(Header.parse(JSON.parse(header.toString('utf8'))), body);
    if (cached !== null) await utimes(path, new Date(), new Date()).catch(() => undefined);
    return cached;
  } catch {
    // Absent, unreadable or not of this form: it is made again.
    return null;
  }
}

function parseBody(header: z.infer<typeof Header>, body: Uint8Array<ArrayBuffer>): Cached | null {
  const lengths = new Int32Array(body.buffer, 0, header.examples);
  const items = new Int32Array(body.buffer, lengths.byteLength, header.examples);
  const { tokens: total } = header.counts;
  const tokens = new Int32Array(body.buffer, 2 * lengths.byteLength, total);
  const losses = new Uint8Array(body.buffer, 2 * lengths.byteLength + tokens.byteLength, total);
  let from = 0;
  const examples = Array.from(lengths, (length) => {
    const example = { tokens: tokens.subarray(from, from + length), loss: losses.subarray(from, from + length) };
    from += length;
    return example;
  });
  return from === total ? { examples, items, counts: header.counts } : null;
}

/**
 * Keeps tokens, whole or not at all, and takes away the files that were used longest ago. A cache that cannot be written
 * (a full disk, no right) is no reason to stop.
 */
export async function writeTokenCache(folder: string, key: string, { examples, items, counts }: Cached): Promise<void> {
  const lengths = Int32Array.from(examples, ({ tokens }) => tokens.length);
  const parts = [lengths, items, ...examples.map(({ tokens }) => tokens), ...examples.map(({ loss }) => loss)];
  const body = Buffer.concat(parts.map((part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength)));
  const header = Buffer.from(JSON.stringify({ version: VERSION, examples: examples.length, counts }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  try {
    await mkdir(folder, { recursive: true });
    await replaceFile(join(folder, key + ENDING), async (file) => {
      await file.writeFile(Buffer.concat([Buffer.from(MAGIC, 'latin1'), length, hashOf(header, body), header, body]));
    });
    await prune(folder);
  } catch {
    // The tokens are in memory, and the next run makes them again.
  }
}

function hashOf(header: Uint8Array, body: Uint8Array): Buffer {
  return createHash('sha256').update(header).update(body).digest();
}

/** Takes away what was used longest ago, and what a process that was killed left half-written. */
async function prune(folder: string): Promise<void> {
  const files = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const path = join(folder, name);
      // Another process may take it away meanwhile.
      return { path, used: (await stat(path).catch(() => null))?.mtimeMs ?? 0 };
    }),
  );
  const whole = files.filter(({ path }) => path.endsWith(ENDING)).sort((a, b) => b.used - a.used);
  const halves = files.filter(({ path, used }) => path.endsWith('.new') && used < Date.now() - STALE_MS);
  await Promise.all([...whole.slice(KEPT), ...halves].map(({ path }) => rm(path, { force: true })));
}
