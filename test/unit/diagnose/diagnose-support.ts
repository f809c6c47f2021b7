import type { Diagnosis, Inspection } from '../../../src/protocol/diagnosis.ts';
import { Diagnoser } from '../../../src/runtime/diagnose/diagnose.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { TraceBench } from './trace-support.ts';

/** Singers, their songs and the concerts at which they sang: values in two cases, NULLs, numbers kept as text. */
export const STAGE = `
CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INTEGER);
INSERT INTO singer VALUES (1, 'Ann', 'France', 30), (2, 'Bob', 'France', 20), (3, 'Cy', 'Spain', 41),
  (4, 'Dee', 'france ', 30), (5, 'Eve', NULL, NULL), (6, 'Flo', 'Italy', 25);
CREATE TABLE song (id INTEGER PRIMARY KEY, singer_id INTEGER REFERENCES singer (id), title TEXT, sales INTEGER);
INSERT INTO song VALUES (1, 1, 'Sun', 10), (2, 1, 'Moon', 20), (3, 2, 'Rain', 5), (4, 3, 'Sun', 7), (5, 3, 'Wind', 9);
CREATE TABLE concert (id INTEGER PRIMARY KEY, singer_id INTEGER REFERENCES singer (id), year TEXT, crowd INTEGER);
INSERT INTO concert VALUES (1, 1, '2014', 100), (2, 1, '2015', 300), (3, 2, '2014', 50), (4, 3, '2015', 200),
  (5, 6, '999', 70);`;

/** A database of its own with a diagnoser. */
export class DiagnosisBench {
  readonly #folder = temporaryFolder();
  readonly bench: TraceBench;
  readonly #diagnoser: Diagnoser;

  constructor(sql = STAGE) {
    this.bench = new TraceBench(this.#folder.database('stage.sqlite', sql));
    this.#diagnoser = new Diagnoser({ sandbox: this.bench.pool });
  }

  diagnose(gold: string, pred: string, signal?: AbortSignal): Promise<Diagnosis> {
    return this.#diagnoser.diagnose({ db: this.bench.db, gold, pred, repair: false }, signal);
  }

  inspect(sql: string): Promise<Inspection> {
    return this.#diagnoser.inspect({ db: this.bench.db, sql });
  }

  async dispose(): Promise<void> {
    this.#diagnoser.dispose();
    await this.bench.dispose();
    this.#folder.remove();
  }
}

/** The text of a range. */
export function at(sql: string, range: { offset: number; length: number } | null): string | null {
  return range === null ? null : sql.slice(range.offset, range.offset + range.length);
}
