import assert from 'node:assert/strict';
import { IndexCache } from '../../../src/core/link/catalog-index.ts';
import { type LinkInput, linkSchema } from '../../../src/core/link/link.ts';
import { catalogFromDdl } from '../../../src/core/schema/from-ddl.ts';
import { Linked, type ValueScan } from '../../../src/protocol/catalog.ts';
import { AppError } from '../../../src/protocol/errors.ts';

/** Tables with nothing in common with any question of these tests. */
const FILLERS = Array.from({ length: 40 }, (_, at) => `CREATE TABLE filler${at} (zz${at} INT, qq${at} TEXT);`).join(
  '\n',
);

const SHOP = `
CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, email TEXT);
CREATE TABLE cust_order (order_id INTEGER PRIMARY KEY, customer_id INT REFERENCES customer, order_date DATE);
CREATE TABLE order_line (line_id INTEGER PRIMARY KEY, order_id INT REFERENCES cust_order, book_id INT REFERENCES book);
CREATE TABLE book (book_id INTEGER PRIMARY KEY, title TEXT, num_pages INT, publisher_id INT REFERENCES publisher);
CREATE TABLE publisher (publisher_id INTEGER PRIMARY KEY, publisher_name TEXT);
CREATE TABLE HOF (year INT, inductee TEXT);
`;

const ask = (ddl: string, question: string, more: Partial<LinkInput> = {}) =>
  linkSchema({
    catalog: catalogFromDdl(ddl),
    scan: null,
    question,
    evidence: '',
    mode: 'linked',
    goldTables: null,
    fullTokens: 9999,
    ...more,
  });

/** The tables with the best scores, the best first. */
const best = (linked: Linked, count: number) =>
  Object.keys(linked.scores)
    .sort((a, b) => (linked.scores[b] ?? 0) - (linked.scores[a] ?? 0))
    .slice(0, count);

describe('linking a question with a schema', () => {
  describe('modes', () => {
    const twelve = SHOP + FILLERS.split('\n').slice(0, 6).join('\n');
    const thirteen = SHOP + FILLERS.split('\n').slice(0, 7).join('\n');

    it('auto shows up to 12 tables whole, however long their prompt', () => {
      const linked = ask(twelve, 'How many books?', { mode: 'auto', fullTokens: 5000 });
      assert.deepEqual([linked.mode, linked.kept.length, linked.left.length], ['full', 12, 0]);
      assert.deepEqual(linked.scores, {});
    });

    it('auto shows up to 1,000 tokens whole, however many tables, and links beyond both', () => {
      const question = 'How many books?';
      assert.equal(ask(thirteen, question, { mode: 'auto', fullTokens: 1000 }).mode, 'full');
      const linked = ask(thirteen, question, { mode: 'auto', fullTokens: 1001 });
      assert.equal(linked.mode, 'linked');
      assert.equal(linked.kept.length, 12);
    });

    it('full keeps everything', () => {
      const linked = ask(SHOP + FILLERS, 'x', { mode: 'full' });
      assert.deepEqual([linked.mode, linked.kept.length, linked.left], ['full', 46, []]);
    });

    it('oracle keeps the tables of the gold query, in any case of letters, and needs one', () => {
      const linked = ask(SHOP, 'x', { mode: 'oracle', goldTables: ['BOOK', 'hof', 'gone'] });
      assert.deepEqual(linked.kept, ['book', 'HOF']);
      assert.deepEqual(linked.left, ['customer', 'cust_order', 'order_line', 'publisher']);
      assert.throws(
        () => ask(SHOP, 'x', { mode: 'oracle' }),
        (error) => error instanceof AppError && error.code === 'oracle_needs_gold',
      );
    });
  });

  it('keeps at least 12 and at most 24 tables, tight 8 and 14, in schema order', () => {
    const ddl = SHOP + FILLERS;
    const all = catalogFromDdl(ddl).tables.map(({ name }) => name);
    const books = Array.from({ length: 30 }, (_, at) => `CREATE TABLE book${at} (book_title TEXT);`).join('\n');
    for (const [preset, minimum, maximum] of [
      ['recall', 12, 24],
      ['tight', 8, 14],
    ] as const) {
      const few = ask(ddl, 'How many books?', { preset });
      assert.equal(few.kept.length, minimum);
      assert.deepEqual([...few.kept, ...few.left].sort(), [...all].sort());
      assert.deepEqual(
        few.kept,
        all.filter((name) => few.kept.includes(name)),
      );
      assert.equal(ask(books, 'How many books have a title?', { preset }).kept.length, maximum);
    }
  });

  it('finds tables by words of their names, whatever the spelling, number or tense', () => {
    const ddl = `CREATE TABLE ProductReview (a); CREATE TABLE product_model (b); CREATE TABLE shipmethod (c); ${FILLERS}`;
    assert.equal(best(ask(ddl, 'Which products were reviewed?'), 1)[0], 'ProductReview');
    assert.equal(best(ask(ddl, 'List product models'), 1)[0], 'product_model');
    assert.equal(best(ask(ddl, 'What ship methods are there?'), 1)[0], 'shipmethod');
  });

  it('finds tables by initials, related words and parts of words', () => {
    assert.equal(best(ask(SHOP + FILLERS, 'How many are in the hall of fame?'), 1)[0], 'HOF');
    const films = `CREATE TABLE film (a); CREATE TABLE rental (b); ${FILLERS}`;
    assert.deepEqual(best(ask(films, 'Which movies were rented?'), 2).sort(), ['film', 'rental']);
  });

  it('finds tables by columns that the hint writes as they are spelled', () => {
    const ddl = `CREATE TABLE a (tmID TEXT, pts INT); CREATE TABLE b (lgID TEXT, wins INT); ${FILLERS}`;
    assert.equal(best(ask(ddl, 'How good was the club?', { evidence: 'club refers to tmID' }), 1)[0], 'a');
    const quoted = `CREATE TABLE a ("Unit Price" REAL); CREATE TABLE b (price REAL, unit TEXT); ${FILLERS}`;
    assert.equal(best(ask(quoted, 'What is dear?', { evidence: 'dear: `Unit Price` > 9' }), 1)[0], 'a');
  });

  it('gives a table of people to a question that names somebody', () => {
    const ddl = `CREATE TABLE staff (first_name TEXT, last_name TEXT); CREATE TABLE thing (label TEXT); ${FILLERS}`;
    assert.equal(best(ask(ddl, 'Where does Lucas Wyldbore work?'), 1)[0], 'staff');
  });

  it('lets rare words weigh more than those that every table has', () => {
    const many = Array.from({ length: 20 }, (_, at) => `CREATE TABLE t${at} (id INT, name TEXT, modified_date DATE);`);
    const ddl = `${many.join('\n')} CREATE TABLE lens (id INT, aperture REAL);`;
    assert.equal(best(ask(ddl, 'What is the name and date of the aperture?'), 1)[0], 'lens');
  });

  it('reaches the tables that a query only passes through', () => {
    const ddl = `CREATE TABLE customer (id INTEGER PRIMARY KEY, email TEXT); CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT);
      CREATE TABLE u (id INTEGER PRIMARY KEY, k INT REFERENCES customer); CREATE TABLE v (k INT REFERENCES u, l INT REFERENCES book);
      CREATE TABLE aside (l INT REFERENCES book); ${FILLERS}`;
    const question = 'Which book titles go with the email of a customer?';
    assert.deepEqual(best(ask(ddl, question), 4).sort(), ['book', 'customer', 'u', 'v']);
    const { scores } = ask(ddl, question, { hop: false });
    assert.deepEqual([scores['u'], scores['v']], [0, 0]);
  });

  it('follows keys that no constraint declares, by the name of the key or of the table', () => {
    const ddl = `CREATE TABLE vendor (vendorkey INTEGER PRIMARY KEY, zone TEXT); CREATE TABLE deal (a INT, vendorkey INT);
      CREATE TABLE Customers (id INTEGER PRIMARY KEY, z TEXT); CREATE TABLE visit (b INT, customer_id INT); ${FILLERS}`;
    const gains = (question: string, table: string) =>
      (ask(ddl, question).scores[table] ?? 0) - (ask(ddl, question, { hop: false }).scores[table] ?? 0);
    assert.ok(gains('Which zone?', 'deal') > 0);
    assert.ok(gains('How many z in Customers?', 'visit') > 0);
    assert.equal(gains('Which zone?', 'filler0'), 0);
  });

  it('finds tables by the values in their cells, a value in one table more than one in many', () => {
    const ddl = `CREATE TABLE a (x TEXT); CREATE TABLE b (y TEXT); CREATE TABLE c (z TEXT); ${FILLERS}`;
    const values = (table: string, column: string, ...list: string[]) => ({
      table,
      column,
      values: list,
      nonNull: null,
    });
    const scan: ValueScan = {
      columns: [values('a', 'x', 'Rome', 'York'), values('b', 'y', 'New York'), values('c', 'z', 'Rome', 'Oslo')],
      skipped: [],
    };
    const { scores } = ask(ddl, 'Who lives in New York, Rome or Oslo?', { scan });
    assert.deepEqual(
      [scores['a'], scores['b'], scores['c']].map((score) => (score ?? 0) / (scores['b'] ?? 1)),
      [0.5, 1, 1.5],
    );
    assert.equal(scores['filler0'], 0);
  });

  it('lets the meaning of a column count where its name says nothing', () => {
    const ddl = `CREATE TABLE a (c1 TEXT, -- blood pressure at rest\n c2 INT); CREATE TABLE b (c3 TEXT, c4 INT); ${FILLERS}`;
    assert.equal(best(ask(ddl, 'Whose blood pressure is high?'), 1)[0], 'a');
  });

  it('speaks of no view and no shadow table, which a prompt does not show', () => {
    const ddl = `CREATE TABLE t (x); CREATE VIEW books AS SELECT x FROM t; CREATE VIRTUAL TABLE note USING fts5(body);
      CREATE TABLE note_data (id INTEGER PRIMARY KEY, block BLOB);`;
    for (const mode of ['linked', 'full', 'auto'] as const)
      assert.deepEqual(ask(ddl, 'How many books?', { mode }).kept, ['t', 'note'], mode);
  });

  it('pads with the tables that most others lead to where nothing in the question is known', () => {
    const { kept, scores } = ask(FILLERS + SHOP, '¿?');
    assert.ok(kept.includes('cust_order') && kept.includes('book'));
    assert.ok(Object.values(scores).every((score) => score === 0));
    assert.equal(kept.length, 12);
  });

  it('takes any names: quotes, other scripts, words of JavaScript, a schema without tables', () => {
    const ddl = `CREATE TABLE "a ""b""" ("x y" INT); CREATE TABLE 客户订单 (日期 TEXT); CREATE TABLE __proto__ (constructor INT);
      CREATE TABLE "—" ("…" TEXT); ${FILLERS}`;
    const linked = ask(ddl, '列出客户订单');
    assert.equal(best(linked, 1)[0], '客户订单');
    assert.equal(Object.keys(linked.scores).length, 44);
    assert.ok(Object.hasOwn(ask(ddl, 'constructor of proto').scores, '__proto__'));
    assert.deepEqual(ask('', 'anything'), { mode: 'linked', kept: [], left: [], scores: {} });
  });

  it('gives the same answer every time, with an index kept or not', () => {
    const catalog = catalogFromDdl(SHOP + FILLERS);
    const indexes = new IndexCache();
    assert.equal(indexes.of(catalog), indexes.of(catalog));
    const once = ask('', 'Which books did customers order?', { catalog });
    assert.deepEqual(Linked.parse(once), once);
    for (let turn = 0; turn < 3; turn += 1)
      assert.deepEqual(ask('', 'Which books did customers order?', { catalog, indexes }), once);
  });

  it('takes a question of 100,000 words', () => {
    const { kept } = ask(SHOP + FILLERS, `${'word '.repeat(100_000)} books`);
    assert.ok(kept.includes('book'));
  });
});
