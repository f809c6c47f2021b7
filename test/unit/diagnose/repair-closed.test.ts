import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type Change, change } from '../../../src/core/diagnose/repair/change.ts';
import { movesOf } from '../../../src/core/diagnose/repair/moves.ts';
import { parseQuery } from '../../../src/core/sql/ast/parse-query.ts';
import { needShared } from '../../support/shared.ts';
import { RepairBench } from './repair-support.ts';

const NAME = String.raw`(?:[A-Za-z_]\w*|"(?:[^"]|"")+")`;
const COLUMN = `(?:${NAME}\\.)?${NAME}`;
const LITERAL = String.raw`(?:-?[\d.]+(?:e[+-]?\d+)?|'(?:[^']|'')*')`;
const AGGREGATE = `(?:COUNT\\(\\*\\)|(?:COUNT|SUM|AVG|MIN|MAX)\\((?:DISTINCT )?${COLUMN}\\))`;
const COMPARISON = '(?:=|<>|<|<=|>|>=|LIKE|NOT LIKE)';
const TERM = `(?:${COLUMN}|${AGGREGATE})`;
const TABLE = `${NAME}(?: AS ${NAME})?`;

/** All that an edit may write that is not the prediction's own text; `docs/diagnosis.md` tells the same in words. */
const FORMS = [
  '',
  COLUMN,
  LITERAL,
  AGGREGATE,
  TABLE,
  String.raw`=|<>|<|<=|>|>=|\+|-|\*|/|\* 1\.0 /|AND|OR|IS|IS NOT|IS NULL|IS NOT NULL|(?:NOT )?(?:IN|LIKE|BETWEEN)`,
  'DISTINCT ?| ?(?:ASC|DESC)|JOIN|LEFT JOIN|UNION|UNION ALL|INTERSECT|EXCEPT',
  `${COLUMN} = ${COLUMN}`,
  ` JOIN ${TABLE} ON ${COLUMN} = ${COLUMN}`,
  ` (?:WHERE|AND) ${COLUMN} = ${COLUMN}`,
  ` (?:WHERE|AND) ${COLUMN} (?:${COMPARISON} ${LITERAL}|IS NOT NULL)`,
  ` (?:HAVING|AND) COUNT\\(\\*\\) ${COMPARISON} ${LITERAL}`,
  `(?: GROUP BY|,) ${COLUMN}`,
  `(?: ORDER BY|,) ${TERM}(?: DESC)?`,
  String.raw` LIMIT \d+`,
  `, ${TERM}|${TERM}, `,
].map((form) => new RegExp(`^(?:${form})$`));

/** The prediction's own text: a piece of it, pieces in another order, or a piece in parentheses or an aggregate. */
function isOwn(after: string, pred: string): boolean {
  const inner = /^(?:COUNT|SUM|AVG|MIN|MAX)?\((?:DISTINCT )?(.*)\)$/s.exec(after)?.[1];
  if (pred.includes(after) || (inner !== undefined && pred.includes(inner))) return true;
  let rest = after;
  while (rest !== '') {
    let length = rest.length;
    while (length > 0 && !(pred.includes(rest.slice(0, length)) && /^(?:, |$)/.test(rest.slice(length)))) length--;
    if (length === 0) return false;
    rest = rest.slice(length + 2);
  }
  return true;
}

function isClosed({ after }: Change, pred: string): boolean {
  return FORMS.some((form) => form.test(after)) || isOwn(after, pred);
}

describe('the closed list of edits', () => {
  const music = new RepairBench();
  after(() => music.dispose());

  it('writes nothing but single names and literals in fixed forms, whatever the gold is', async () => {
    const golds = [
      `SELECT b.name || ' of ' || b.country FROM band b WHERE b.id IN (SELECT band_id FROM singer WHERE age > 30 OR salary < 7)`,
      `SELECT name FROM singer WHERE age BETWEEN 20 AND 30 AND NOT (name LIKE '%n%') GROUP BY lower(name) HAVING sum(salary) > 9`,
      `WITH x AS (SELECT singer_id, count(*) AS n FROM concert GROUP BY 1) SELECT s.name, x.n * 2 FROM x JOIN singer s ON s.id = x.singer_id`,
    ];
    const preds = [
      'SELECT name, count(*) AS n FROM singer WHERE age > 5 AND (salary < 3 OR id = 1) GROUP BY name HAVING n > 1 ORDER BY n LIMIT 3',
      `SELECT s.name FROM singer s LEFT JOIN band b ON trim(s.band_id) = b.id WHERE b.country LIKE '%n' UNION SELECT place FROM concert`,
      'SELECT * FROM singer WHERE id = (SELECT max(singer_id) FROM concert) ORDER BY age + 1 DESC',
    ];
    let seen = 0;
    for (const gold of golds)
      for (const pred of preds)
        for (const { changes } of movesOf(await music.context(pred, gold)))
          for (const one of changes) {
            assert.ok(isClosed(one, pred), `${one.kind}: ${one.after}\nof ${pred}`);
            seen++;
          }
    assert.ok(seen > 1_000, `${seen} edits`);
  });

  it('is told from copies of the gold by this very check', () => {
    const pred = 'SELECT name FROM singer WHERE age > 5';
    for (const after of [
      'id IN (SELECT band_id FROM singer)',
      ' WHERE age > 30 OR salary < 7',
      ' AND age > 30 AND salary < 7',
      'sum(salary) > 9',
      ', lower(name)',
      ' ORDER BY salary * 2',
    ])
      assert.ok(!isClosed(change({ kind: 'conjunct', range: { offset: 0, length: 0 }, after }), pred), after);
  });

  it('holds for the published predictions of Spider', async function () {
    const path = needShared(this, 'data/spider/labelled_predictions.jsonl');
    const root = needShared(this, 'data/spider/database/world_1/world_1.sqlite');
    const world = new RepairBench(root);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const pairs: { db_id: string; gold: string; pred: string; correct: boolean }[] = lines.map((line) =>
      JSON.parse(line),
    );
    const wrong = pairs.filter(({ db_id, correct, pred }) => db_id === 'world_1' && !correct && parseQuery(pred).query);
    for (const { gold, pred } of wrong.filter((_, index) => index % 5 === 0))
      for (const { changes } of movesOf(await world.context(pred, gold)))
        for (const one of changes) assert.ok(isClosed(one, pred), `${one.kind}: ${one.after}\nof ${pred}`);
    await world.dispose();
  });
});
