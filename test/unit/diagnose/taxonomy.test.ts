import assert from 'node:assert/strict';
import type { ErrorClass, Finding } from '../../../src/protocol/diagnosis.ts';
import { at, DiagnosisBench } from './diagnose-support.ts';

describe('what kind of error it is', () => {
  const bench = new DiagnosisBench();
  after(() => bench.dispose());

  async function findings(gold: string, pred: string): Promise<Finding[]> {
    const { taxonomy, verdict, sentence } = await bench.diagnose(gold, pred);
    assert.equal(verdict, 'different', sentence);
    return taxonomy;
  }

  const SONGS = 'SELECT s.name FROM singer s JOIN song o ON s.id = o.singer_id';

  /** Class, gold, prediction: one mistake each, which putting right must show. */
  const MISTAKES: [ErrorClass, string, string][] = [
    ['wrong_table', 'SELECT count(*) FROM song', 'SELECT count(*) FROM singer'],
    [
      'missing_join',
      'SELECT count(*) FROM singer s JOIN song o ON s.id = o.singer_id',
      'SELECT count(*) FROM singer s',
    ],
    ['extra_join', 'SELECT s.name FROM singer s', SONGS],
    ['wrong_join_condition', SONGS, 'SELECT s.name FROM singer s JOIN song o ON s.id = o.id'],
    ['wrong_filter_column', 'SELECT id FROM song WHERE id > 3', 'SELECT id FROM song WHERE sales > 3'],
    ['wrong_filter_operator', 'SELECT id FROM singer WHERE age >= 30', 'SELECT id FROM singer WHERE age > 30'],
    [
      'wrong_filter_operator',
      'SELECT id FROM singer WHERE age < 25 OR age = 30',
      'SELECT id FROM singer WHERE age > 25 OR age = 30',
    ],
    [
      'wrong_filter_value',
      "SELECT id FROM singer WHERE country = 'Spain'",
      "SELECT id FROM singer WHERE country = 'Italy'",
    ],
    [
      'wrong_filter_value',
      'SELECT singer_id FROM song GROUP BY 1 HAVING count(*) > 1',
      'SELECT singer_id FROM song GROUP BY 1 HAVING count(*) > 2',
    ],
    [
      'filter_case_or_space',
      "SELECT id FROM singer WHERE country = 'France'",
      "SELECT id FROM singer WHERE country = 'france '",
    ],
    [
      'filter_case_or_space',
      "SELECT id FROM singer WHERE country = 'France'",
      "SELECT id FROM singer WHERE lower(trim(country)) = 'france'",
    ],
    ['missing_filter', 'SELECT id FROM singer WHERE age > 20 AND id < 4', 'SELECT id FROM singer WHERE age > 20'],
    ['extra_filter', 'SELECT id FROM singer WHERE age > 20', 'SELECT id FROM singer WHERE age > 20 AND id < 4'],
    ['wrong_column', 'SELECT name FROM singer', 'SELECT country FROM singer'],
    ['wrong_aggregate', 'SELECT max(age) FROM singer', 'SELECT avg(age) FROM singer'],
    ['distinct_in_aggregate', 'SELECT count(DISTINCT title) FROM song', 'SELECT count(title) FROM song'],
    [
      'wrong_aggregate',
      'SELECT singer_id FROM song GROUP BY 1 HAVING avg(sales) > 8 OR avg(sales) < 6',
      'SELECT singer_id FROM song GROUP BY 1 HAVING sum(sales) > 8 OR avg(sales) < 6',
    ],
    ['wrong_filter_operator', `${SONGS} WHERE s.id = o.id`, `${SONGS} WHERE s.id <> o.id`],
    ['wrong_grouping', 'SELECT count(*) FROM singer GROUP BY country', 'SELECT count(*) FROM singer GROUP BY name'],
    ['missing_distinct', 'SELECT DISTINCT title FROM song', 'SELECT title FROM song'],
    ['extra_distinct', 'SELECT title FROM song', 'SELECT DISTINCT title FROM song'],
    [
      'wrong_set_operation',
      'SELECT id FROM song UNION SELECT id FROM singer',
      'SELECT id FROM song EXCEPT SELECT id FROM singer',
    ],
    ['wrong_order', 'SELECT name FROM singer ORDER BY name', 'SELECT name FROM singer ORDER BY name DESC'],
    ['limit_off', 'SELECT name FROM singer ORDER BY name LIMIT 2', 'SELECT name FROM singer ORDER BY name LIMIT 3'],
    ['extra_column', 'SELECT name FROM singer', 'SELECT name, age FROM singer'],
    ['missing_column', 'SELECT name, age FROM singer', 'SELECT age FROM singer'],
    ['swapped_columns', 'SELECT name, age FROM singer', 'SELECT age, name FROM singer'],
    ['rounding', 'SELECT round(avg(age), 0) FROM singer', 'SELECT avg(age) FROM singer'],
    [
      'concatenation',
      'SELECT name, title FROM singer JOIN song ON singer.id = singer_id',
      "SELECT name || ' ' || title FROM singer JOIN song ON singer.id = singer_id",
    ],
    ['text_for_number', 'SELECT age FROM singer', 'SELECT CAST(age AS TEXT) FROM singer'],
    ['null_handling', 'SELECT id FROM singer WHERE age IS NULL', 'SELECT id FROM singer WHERE age = NULL'],
    ['null_handling', 'SELECT count(age) FROM singer', 'SELECT count(*) FROM singer'],
    ['null_handling', 'SELECT age FROM singer', 'SELECT coalesce(age, 0) FROM singer'],
    ['integer_division', 'SELECT sum(sales) * 1.0 / count(*) FROM song', 'SELECT sum(sales) / count(*) FROM song'],
  ];

  for (const [kind, gold, pred] of MISTAKES)
    it(`${kind}: ${pred}`, async () => {
      const [first] = await findings(gold, pred);
      assert.equal(first?.class, kind, first?.sentence);
      assert.ok((first?.confidence ?? 0) >= 0.95, `${first?.confidence}`);
    });

  it('names of aliases, order of joins and conditions, case of names make no difference', async () => {
    const gold =
      "SELECT s.name FROM singer s JOIN song o ON s.id = o.singer_id WHERE o.sales > 6 AND s.country = 'France'";
    const pred =
      "SELECT A.NAME FROM song B JOIN singer A ON B.singer_id = A.id WHERE A.country = 'Spain' AND B.sales > 6";
    const found = await findings(gold, pred);
    assert.deepEqual(
      found.map((finding) => finding.class),
      ['wrong_filter_value'],
    );
    assert.equal(at(pred, found[0]?.range ?? null), "A.country = 'Spain'");
    assert.equal(at(gold, found[0]?.goldRange ?? null), "s.country = 'France'");
  });

  it('a filter on another value is told with the rows that hold each', async () => {
    const [first] = await findings(
      "SELECT id FROM singer WHERE country = 'France'",
      "SELECT id FROM singer WHERE country = 'FRANCE'",
    );
    assert.match(
      first?.sentence ?? '',
      /compares country with 'FRANCE'; 0 rows of it hold that, 2 rows hold the gold's 'France'/,
    );
    assert.deepEqual([first?.evidence['pred_rows'], first?.evidence['gold_rows']], [0, 2]);
  });

  it('says what is so: of a condition under OR, of = NULL, of the direction of a sort, of rows without a partner, of tables as written', async () => {
    const sentence = async (gold: string, pred: string) => (await findings(gold, pred))[0]?.sentence;
    assert.equal(
      await sentence(
        'SELECT id FROM singer WHERE age = 30 AND (id = 1 OR id > 2)',
        'SELECT id FROM singer WHERE age = 30 AND id = 1 OR id > 2',
      ),
      'The gold keeps only rows with age = 30; in the prediction it stands under OR, so that rows without it may be kept, too.',
    );
    assert.equal(
      await sentence(
        'SELECT count(*) FROM singer WHERE age IS NOT NULL',
        'SELECT count(*) FROM singer WHERE age <> NULL',
      ),
      'age <> NULL is true for no row; the gold asks for age IS NOT NULL.',
    );
    assert.equal(
      await sentence('SELECT name FROM singer ORDER BY age DESC', 'SELECT name FROM singer ORDER BY age'),
      'The prediction sorts in the other direction: by age; the gold by age DESC.',
    );
    const [all, some] = ['LEFT JOIN', 'JOIN'].map(
      (join) => `SELECT s.name, count(o.id) FROM singer s ${join} Song o ON o.singer_id = s.id GROUP BY s.id`,
    );
    assert.equal(
      await sentence(all ?? '', some ?? ''),
      'The gold keeps rows without a partner in Song (LEFT JOIN); the prediction drops them.',
    );
    assert.equal(
      await sentence(some ?? '', all ?? ''),
      'The prediction keeps rows without a partner in Song (LEFT JOIN); the gold drops them.',
    );
    assert.equal(
      await sentence('SELECT s.name FROM singer s', 'SELECT s.name FROM singer s JOIN Song o ON o.singer_id = s.id'),
      'The prediction joins Song; the gold does not.',
    );
  });

  it('of two mistakes both are named; a difference that changes no row is not', async () => {
    const found = await findings(
      'SELECT name FROM singer WHERE age >= 30 AND id > 0 ORDER BY name',
      'SELECT name, age FROM singer WHERE age > 30 ORDER BY name',
    );
    const shown = found.filter(({ confidence }) => confidence >= 0.9).map((finding) => finding.class);
    assert.deepEqual(shown.sort(), ['extra_column', 'wrong_filter_operator']);
  });

  it('a join that repeats rows under a sum', async () => {
    const gold = 'SELECT sum(o.sales) FROM song o JOIN singer s ON s.id = o.singer_id';
    const found = await findings(gold, `${gold} JOIN concert c ON c.singer_id = s.id`);
    assert.deepEqual(
      found.slice(0, 2).map((finding) => finding.class),
      ['extra_join', 'join_multiplies_rows'],
    );
  });

  it('what differs inside a subquery is named there', async () => {
    const pred = "SELECT name FROM singer WHERE id IN (SELECT singer_id FROM song WHERE title = 'Moon')";
    const [first] = await findings(pred.replace('Moon', 'Wind'), pred);
    assert.equal(first?.class, 'wrong_filter_value');
    assert.equal(at(pred, first?.range ?? null), "title = 'Moon'");
  });

  it('a gold that cuts ties, sorts numbers as text or gives no rows is doubted, with the likelier error before it', async () => {
    const ties = await findings(
      'SELECT name FROM singer ORDER BY age = 30 DESC LIMIT 1',
      'SELECT name FROM singer ORDER BY age DESC LIMIT 1',
    );
    assert.deepEqual(
      ties.map((finding) => finding.class),
      ['wrong_order', 'gold_suspicious'],
    );
    assert.equal(ties[1]?.evidence['tied'], 2);
    const text = await findings(
      'SELECT id FROM concert ORDER BY year DESC LIMIT 1',
      'SELECT id FROM concert ORDER BY CAST(year AS INTEGER) DESC, id LIMIT 1',
    );
    assert.match(text.find((finding) => finding.class === 'gold_suspicious')?.sentence ?? '', /compares year as text/);
    const empty = await findings(
      "SELECT id FROM singer WHERE name = 'Zoe'",
      "SELECT id FROM singer WHERE name = 'Bob'",
    );
    assert.deepEqual(
      empty.map((finding) => finding.class),
      ['wrong_filter_value', 'gold_suspicious'],
    );
  });

  it('every pair that differs has a finding, also one that cannot be put together from both', async () => {
    const odd = await findings(
      'SELECT id FROM singer WHERE age > 25 INTERSECT SELECT singer_id FROM song',
      'WITH x AS (SELECT singer_id FROM song) SELECT count(*) FROM x NATURAL JOIN (SELECT 1 AS singer_id)',
    );
    assert.ok(odd.length > 0);
  });
});
