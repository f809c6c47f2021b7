import type { Dirent } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { detectFormat, resemblesDataset } from '../../core/evals/dataset/detect.ts';
import { datasetUnreadable } from './dataset-errors.ts';

/** The files of a folder that were looked at. */
export interface FoundDatasets {
  /** Absolute paths of those that are datasets, or were meant to be. */
  datasets: string[];
  /** The others that people take for datasets, with what they are. */
  others: { path: string; what: string }[];
}

/** Folders below the named one: `bird/dev_20240627/dev.json` is as deep as publishers go, and one to spare. */
const MAX_DEPTH = 3;
const MAX_FILES = 5_000;
const HEAD_BYTES = 256 * 1024;
/** Folders that hold databases with their descriptions, schemas or packages, and no datasets. */
const PASSED_BY = /^\.|database|^node_modules$|_schemas$/i;

/**
 * The datasets in a folder and those below, by name and beginning.
 * @param folder absolute
 * @throws AppError where it cannot be listed
 */
export async function findDatasets(folder: string): Promise<FoundDatasets> {
  const found: FoundDatasets = { datasets: [], others: [] };
  for (const path of await candidates(folder)) {
    const name = path.slice(folder.length + 1);
    const head = await headOf(path);
    if (head === null) continue;
    const detected = detectFormat(head, name);
    if (resemblesDataset(head, name.split(/[/\\]/).at(-1) ?? name)) found.datasets.push(path);
    else if ('other' in detected) found.others.push({ path, what: detected.other });
  }
  return found;
}

async function candidates(folder: string): Promise<string[]> {
  const files: string[] = [];
  const visit = async (path: string, depth: number): Promise<void> => {
    const entries = await readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      if (path === folder) throw datasetUnreadable(folder, error.code ?? String(error));
      return [];
    });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (files.length >= MAX_FILES) return;
      const full = join(path, entry.name);
      if (entry.isDirectory()) {
        if (depth < MAX_DEPTH && !PASSED_BY.test(entry.name)) await visit(full, depth + 1);
      } else if (isCandidate(entry)) files.push(full);
    }
  };
  await visit(folder, 0);
  return files;
}

/** A file by its ending; no pipe or device, which may never end. */
function isCandidate(entry: Dirent): boolean {
  const isData = /\.(json|jsonl|csv)$/i.test(entry.name) && !entry.name.endsWith('.splits.json');
  return isData && (entry.isFile() || entry.isSymbolicLink());
}

/** The beginning of a file as text; null where it cannot be read. */
async function headOf(path: string): Promise<string | null> {
  try {
    await using file = await open(path, 'r');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead).replace(/^\uFEFF/, '');
  } catch {
    return null;
  }
}
