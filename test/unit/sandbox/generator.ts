/** A source of numbers in [0, 1). */
export type Random = () => number;

/** Numbers in [0, 1) from a seed (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The tables that generated queries read, with values of every type and of every awkward kind. */
export const GENERATED_SCHEMA = `
  PRAGMA foreign_keys = OFF;
  CREATE TABLE "order"(id INTEGER PRIMARY KEY, customer_id INT REFERENCES customer(id), "total amount" REAL, note TEXT, day DATE);
  CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE, city TEXT, balance NUMERIC, photo BLOB);
  CREATE TABLE misc(a, b, c) ;
  CREATE TABLE keyed(k TEXT PRIMARY KEY, v INT) WITHOUT ROWID;
  CREATE INDEX order_customer ON "order"(customer_id, day);
  CREATE VIEW big AS SELECT * FROM "order" WHERE "total amount" > 50;
  INSERT INTO customer VALUES (1, 'Ann', 'Rome', 10, x'00ff'), (2, 'ann', 'Oslo', 10.5, NULL), (3, 'Bob', NULL, -3, x''),
    (4, 'Zoë', 'Rome', 9007199254740993, x'c3'), (5, '', '日本', 'none', NULL), (6, NULL, 'Oslo', NULL, x'616263');
  WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 60)
    INSERT INTO "order" SELECT x, x * 7 % 8, CASE x % 5 WHEN 0 THEN NULL ELSE x * 2.25 END,
      CASE x % 4 WHEN 0 THEN 'it''s' WHEN 1 THEN '' WHEN 2 THEN NULL ELSE 'note ' || x END, date('2024-01-01', x || ' days') FROM n;
  INSERT INTO misc VALUES (1, 'x', NULL), (1.0, 'X', x'ff'), ('1', 1, 9e999), (NULL, '', -9e999), (x'31', 2.5, 'a' || char(0) || 'b'),
    (9223372036854775807, -9223372036854775808, 0.1), (CAST(x'61ff' AS TEXT), char(65533), 1e-300);
  INSERT INTO keyed VALUES ('a', 1), ('B', 2), ('b', 3), ('', 4);`;

const TABLES: Record<string, string[]> = {
  '"order"': ['id', 'customer_id', '"total amount"', 'note', 'day'],
  customer: ['id', 'name', 'city', 'balance', 'photo'],
  misc: ['a', 'b', 'c'],
  keyed: ['k', 'v'],
  big: ['id', 'customer_id', '"total amount"', 'note', 'day'],
};
const LITERALS = [
  '0',
  '1',
  '-2',
  '3.5',
  '9007199254740993',
  "'Rome'",
  "'ann'",
  "''",
  'NULL',
  "x'00ff'",
  '"Oslo"',
  '1e10',
];
const SCALARS = ['length', 'upper', 'abs', 'typeof', 'hex', 'quote', 'lower', 'trim', 'unicode', 'octet_length'];
const AGGREGATES = ['count', 'sum', 'avg', 'min', 'max', 'total', 'group_concat'];
const WINDOWS = ['row_number()', 'rank()', 'dense_rank()', 'ntile(3)'];

interface Source {
  from: string;
  columns: string[];
}

/** Writes SELECTs that SQLite can compile, the same ones for the same seed. */
export class SelectGenerator {
  #random: Random;

  constructor(seed: number) {
    this.#random = seeded(seed);
  }

  next(): string {
    const kind = this.#random();
    if (kind < 0.08) return this.#compound();
    if (kind < 0.14) return this.#expressionTable();
    if (kind < 0.2) return this.#windowed();
    return kind < 0.45 ? this.#grouped() : this.#plain();
  }

  #pick<T>(values: readonly T[]): T {
    const value = values[Math.floor(this.#random() * values.length)];
    if (value === undefined) throw new RangeError('nothing to pick from');
    return value;
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #source(): Source {
    const [table, columns] = this.#pick(Object.entries(TABLES));
    const first = { from: `${table} AS t1`, columns: columns.map((column) => `t1.${column}`) };
    if (this.#chance(0.6)) return first;
    const [other, more] = this.#pick(Object.entries(TABLES));
    const second = more.map((column) => `t2.${column}`);
    const join = this.#pick(['JOIN', 'LEFT JOIN', 'CROSS JOIN', 'RIGHT JOIN', 'FULL JOIN']);
    const on = join === 'CROSS JOIN' ? '' : ` ON ${this.#pick(first.columns)} = ${this.#pick(second)}`;
    return { from: `${first.from} ${join} ${other} AS t2${on}`, columns: [...first.columns, ...second] };
  }

  #expression(columns: string[], depth = 0): string {
    const kind = depth > 2 ? this.#random() * 0.6 : this.#random();
    const inner = () => this.#expression(columns, depth + 1);
    if (kind < 0.45) return this.#pick(columns);
    if (kind < 0.6) return this.#pick(LITERALS);
    if (kind < 0.72) return `${this.#pick(SCALARS)}(${inner()})`;
    if (kind < 0.84) return `(${inner()} ${this.#pick(['+', '-', '*', '/', '%', '||', '&', '|', '<<'])} ${inner()})`;
    if (kind < 0.9) return `CAST(${inner()} AS ${this.#pick(['TEXT', 'INTEGER', 'REAL', 'BLOB', 'NUMERIC'])})`;
    if (kind < 0.95) return `CASE WHEN ${this.#condition(columns, depth + 1)} THEN ${inner()} ELSE ${inner()} END`;
    return `${this.#pick(['coalesce', 'ifnull', 'nullif', 'max', 'min'])}(${inner()}, ${inner()})`;
  }

  #condition(columns: string[], depth = 0): string {
    const kind = depth > 2 ? this.#random() * 0.5 : this.#random();
    const value = () => this.#expression(columns, depth + 1);
    if (kind < 0.35) return `${value()} ${this.#pick(['=', '<>', '<', '<=', '>', '>=', 'IS', 'IS NOT'])} ${value()}`;
    if (kind < 0.45)
      return `${value()} ${this.#pick(['LIKE', 'NOT LIKE', 'GLOB'])} ${this.#pick(["'%o%'", "'n_te%'", "'*'"])}`;
    if (kind < 0.55) return `${value()} ${this.#pick(['IS NULL', 'NOTNULL'])}`;
    if (kind < 0.65) return `${value()} BETWEEN ${value()} AND ${value()}`;
    if (kind < 0.75) return `${value()} IN (${value()}, ${this.#pick(LITERALS)})`;
    if (kind < 0.83) return `${value()} IN (SELECT ${this.#pick(['id', 'name', 'city', 'balance'])} FROM customer)`;
    if (kind < 0.88) return `NOT (${this.#condition(columns, depth + 1)})`;
    return `(${this.#condition(columns, depth + 1)} ${this.#pick(['AND', 'OR'])} ${this.#condition(columns, depth + 1)})`;
  }

  #list(columns: string[], most: number): string[] {
    const count = 1 + Math.floor(this.#random() * most);
    return Array.from({ length: count }, () => this.#expression(columns));
  }

  #where(columns: string[]): string {
    return this.#chance(0.6) ? ` WHERE ${this.#condition(columns)}` : '';
  }

  #ending(count: number): string {
    const term = () =>
      `${1 + Math.floor(this.#random() * count)}${this.#pick(['', ' DESC', ' COLLATE NOCASE', ' NULLS LAST'])}`;
    const order = this.#chance(0.4) ? ` ORDER BY ${term()}${this.#chance(0.3) ? `, ${term()}` : ''}` : '';
    return order + (this.#chance(0.25) ? ` LIMIT ${this.#pick([0, 1, 5, 20])} OFFSET ${this.#pick([0, 0, 2])}` : '');
  }

  #plain(): string {
    const { from, columns } = this.#source();
    if (this.#chance(0.1)) return `SELECT * FROM ${from}${this.#where(columns)} LIMIT 200`;
    const list = this.#list(columns, 4);
    const names = list.map((expression, index) => (this.#chance(0.2) ? `${expression} AS "c ${index}"` : expression));
    const distinct = this.#chance(0.2) ? 'DISTINCT ' : '';
    return `SELECT ${distinct}${names.join(', ')} FROM ${from}${this.#where(columns)}${this.#ending(list.length)}`;
  }

  #aggregate(columns: string[]): string {
    if (this.#chance(0.2)) return 'count(*)';
    const distinct = this.#chance(0.2) ? 'DISTINCT ' : '';
    return `${this.#pick(AGGREGATES)}(${distinct}${this.#expression(columns)})`;
  }

  #grouped(): string {
    const { from, columns } = this.#source();
    const aggregates = [this.#aggregate(columns), ...(this.#chance(0.5) ? [this.#aggregate(columns)] : [])];
    if (this.#chance(0.3)) return `SELECT ${aggregates.join(', ')} FROM ${from}${this.#where(columns)}`;
    const keys = this.#list(columns, 2);
    const having = this.#chance(0.3) ? ` HAVING count(*) > ${this.#pick([0, 1, 3])}` : '';
    const list = [...keys, ...aggregates];
    const groups = keys.map((_, index) => index + 1).join(', ');
    return `SELECT ${list.join(', ')} FROM ${from}${this.#where(columns)} GROUP BY ${groups}${having}${this.#ending(list.length)}`;
  }

  #windowed(): string {
    const { from, columns } = this.#source();
    const over = `OVER (PARTITION BY ${this.#pick(columns)} ORDER BY ${this.#pick(columns)})`;
    const window = `${this.#chance(0.5) ? this.#pick(WINDOWS) : `count(${this.#pick(columns)})`} ${over}`;
    return `SELECT ${this.#expression(columns)}, ${window} FROM ${from}${this.#where(columns)}${this.#ending(2)}`;
  }

  #compound(): string {
    const one = this.#source();
    const other = this.#source();
    const part = ({ from, columns }: Source) =>
      `SELECT ${this.#expression(columns)}, ${this.#expression(columns)} FROM ${from}${this.#where(columns)}`;
    const operator = this.#pick(['UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT']);
    return `${part(one)} ${operator} ${part(other)}${this.#ending(2)}`;
  }

  #expressionTable(): string {
    const inner = this.#plain();
    const width = this.#chance(0.5) ? 'SELECT *' : 'SELECT count(*)';
    return `WITH q AS (${inner}) ${width} FROM q`;
  }
}
