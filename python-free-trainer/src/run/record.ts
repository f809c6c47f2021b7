import { readFile } from 'node:fs/promises';
import { TrainingRun } from '../../../src/protocol/training.ts';
import { replaceFile } from '../io/replace-file.ts';
import { runDamaged, runUnwritable } from './errors.ts';

/** `run.json`; null where there is none. @throws AppError `run_damaged` */
export async function readRecord(path: string): Promise<TrainingRun | null> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw runDamaged(path, String(error));
  }
  const parsed = TrainingRun.safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw runDamaged(path, `its field ${issue?.path.join('.') || '(all)'} is missing or wrong`);
}

/** Writes `run.json`, whole or not at all. @throws AppError `disk_full`, `run_unwritable` */
export async function writeRecord(path: string, record: TrainingRun): Promise<void> {
  try {
    await replaceFile(path, (file) => file.writeFile(`${JSON.stringify(record, null, 2)}\n`));
  } catch (error) {
    throw runUnwritable(path, error, 'Nothing was trained.');
  }
}
