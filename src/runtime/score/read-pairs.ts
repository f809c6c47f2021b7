import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type ParsedPairs, parsePairs, type TextFile } from '../../core/evals/pairs.ts';
import { pairsInvalid, pairsNotUtf8, pairsTooLarge, pairsUnreadable } from './score-errors.ts';

/** Largest file that is read: a text of it must fit a JavaScript string. */
const MAX_BYTES = 500 * 2 ** 20;

/**
 * Reads a file of predictions, and the file of golds where its form needs one.
 * @throws AppError `pairs_…` where a file cannot be read or has faults (the first 20, with their lines)
 */
export async function readPairs(path: string, goldPath: string | null): Promise<ParsedPairs> {
  const file = await readText(path);
  const gold = goldPath === null ? null : await readText(goldPath);
  const parsed = parsePairs(file, gold);
  const { problems } = parsed;
  if (problems.count > 0) throw pairsInvalid(path, problems.inOrder, problems.count);
  return parsed;
}

async function readText(path: string): Promise<TextFile> {
  const bytes = await readBytes(path);
  if (!isUtf8(bytes)) throw pairsNotUtf8(path, lineOfFault(bytes));
  return { name: basename(path), text: bytes.toString('utf8').replace(/^\uFEFF/, '') };
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) throw pairsTooLarge(path, size, MAX_BYTES);
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (/^E[A-Z]+$/.test(code)) throw pairsUnreadable(path, code);
    throw error;
  }
}

/** The first line, from 1, that is not UTF-8. */
function lineOfFault(bytes: Buffer): number {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const fault = text.split('\n').findIndex((line) => line.includes('\uFFFD'));
  return fault + 1;
}
