import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { hashIds } from '../../core/evals/split.ts';
import { SplitFile } from '../../protocol/dataset.ts';
import { writeWhole } from '../write-whole.ts';
import type { Dataset } from './load-dataset.ts';
import { notASplitsFile, sealedWouldBeLost, splitEdited, splitsUnreadable, splitsUnwritable } from './split-errors.ts';

/** SHA-256 of a text's UTF-8 bytes, in hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Where the splits of a dataset are kept: `<dataset without ending>.splits.json`, beside it. A link has those of the file
 * that it leads to: it would open what is sealed there otherwise.
 */
export function splitsPath(dataset: string): string {
  const real = realPath(dataset);
  return join(dirname(real), `${basename(real, extname(real))}.splits.json`);
}

/** A path with its links followed; one that leads nowhere as it is. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The splits in a file; null where there is none. @throws AppError where it cannot be read or was changed by hand */
export async function readSplitFile(path: string): Promise<SplitFile | null> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw splitsUnreadable(path, codeOf(error));
  });
  if (text === null) return null;
  const file = parse(text);
  if (typeof file === 'string') throw splitsUnreadable(path, file);
  for (const { name, ids, hash } of file.splits) if (hashIds(ids, sha256) !== hash) throw splitEdited(path, name);
  return file;
}

/** The splits in a text, or what is wrong with it. */
function parse(text: string): SplitFile | string {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return 'it is not valid JSON';
  }
  const parsed = SplitFile.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  return `${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'not the form of splits'}`;
}

/** True where the splits were made of exactly this dataset. */
export function fits(file: SplitFile, dataset: Pick<Dataset, 'hash'>): boolean {
  return file.dataset.hash === dataset.hash;
}

/**
 * Writes a file of splits: whole or not at all. One that is there is replaced, unless it holds a sealed split and
 * `replace` is false, or is something else; one that is the same already stays.
 * @returns true where a file was replaced
 * @throws AppError `splits_sealed`, `not_a_splits_file`, `splits_unwritable`
 */
export async function writeSplitFile(path: string, file: SplitFile, replace: boolean): Promise<boolean> {
  const old = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw splitsUnwritable(path, codeOf(error));
  });
  const text = `${JSON.stringify(file, null, 1)}\n`;
  if (old !== null) {
    const parsed = parse(old);
    if (typeof parsed === 'string') throw notASplitsFile(path, parsed);
    if (old === text) return false;
    const sealed = parsed.splits.filter((split) => split.sealed).map(({ name }) => name);
    if (sealed.length > 0 && !replace) throw sealedWouldBeLost(path, sealed);
  }
  await writeWhole(path, text).catch((error: unknown) => {
    throw splitsUnwritable(path, codeOf(error));
  });
  return old !== null;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
