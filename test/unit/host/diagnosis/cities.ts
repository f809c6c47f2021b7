import { Diagnoser } from '../../../../src/runtime/diagnose/diagnose.ts';
import { SandboxPool } from '../../../../src/runtime/sandbox/pool.ts';
import { type TemporaryFolder, temporaryFolder } from '../../../support/temporary.ts';

/** A database of cities and what looks into it. */
export interface Cities {
  db: string;
  pool: SandboxPool;
  diagnoser: Diagnoser;
  dispose(): Promise<void>;
}

export function openCities(): Cities {
  const folder = temporaryFolder();
  const pool = new SandboxPool({ children: 1, spares: 0 });
  const diagnoser = new Diagnoser({ sandbox: pool });
  const dispose = async () => {
    folder.remove();
    diagnoser.dispose();
    await pool.dispose();
  };
  return { db: makeCities(folder), pool, diagnoser, dispose };
}

/** Makes a small database of cities and visits to them. @returns its absolute path */
function makeCities(folder: TemporaryFolder): string {
  return folder.database(
    'cities.sqlite',
    `CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
    CREATE TABLE visit (id INTEGER PRIMARY KEY, city_id INTEGER REFERENCES city (id), days INTEGER);
    INSERT INTO city VALUES (1, 'Oslo', 'Norway'), (2, 'Bergen', 'Norway'), (3, 'Lima', 'Peru'), (4, 'Nowhere', NULL);
    INSERT INTO visit VALUES (1, 1, 3), (2, 1, 3), (3, 3, 5);`,
  );
}
