import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../../src/protocol/errors.ts';
import { type Dataset, loadDataset } from '../../../src/runtime/evals/load-dataset.ts';

/** An item in BIRD's form. */
export function birdItem(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { db_id: 'shop', question: 'How many orders?', evidence: '', SQL: 'SELECT count(*) FROM orders', ...fields };
}

/** JSON with one item a line between the brackets, so that item n (from 0) stands on line n + 2. */
export function list(items: readonly unknown[]): string {
  return `[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]\n`;
}

/** Items `<db>-0`, `<db>-1` … of databases of the sizes given. */
export function itemsOn(sizes: Record<string, number>): Record<string, unknown>[] {
  return Object.entries(sizes).flatMap(([db_id, size]) =>
    Array.from({ length: size }, (_, index) =>
      birdItem({ db_id, question_id: `${db_id}-${index}`, question: `Question ${index}?` }),
    ),
  );
}

/** Writes a file and loads it as a dataset. */
export function loadText(folder: string, name: string, content: string | Buffer): Promise<Dataset> {
  const path = join(folder, name);
  writeFileSync(path, content);
  return loadDataset(path);
}

/** The error that a user is told. */
export async function failure(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => assert.fail('it did not fail'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof AppError, String(error));
  return error;
}
