import type { TemporaryFolder } from '../../../support/temporary.ts';

/** Makes a small database of cities and visits to them. @returns its absolute path */
export function makeCities(folder: TemporaryFolder): string {
  return folder.database(
    'cities.sqlite',
    `CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
    CREATE TABLE visit (id INTEGER PRIMARY KEY, city_id INTEGER REFERENCES city (id), days INTEGER);
    INSERT INTO city VALUES (1, 'Oslo', 'Norway'), (2, 'Bergen', 'Norway'), (3, 'Lima', 'Peru'), (4, 'Nowhere', NULL);
    INSERT INTO visit VALUES (1, 1, 3), (2, 1, 3), (3, 3, 5);`,
  );
}
