import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { Diagnosis, Inspection } from '../../../src/protocol/diagnosis.ts';
import { sqlAgent } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { itemRecord, writeRun } from '../evals/report-runs.ts';
import { at, STAGE } from './diagnose-support.ts';

describe('sql-agent diagnose', () => {
  const folder = temporaryFolder();
  const db = folder.database('stage.sqlite', STAGE);
  const results = join(folder.path, 'results');
  after(() => folder.remove());

  const GOLD = "SELECT name FROM singer WHERE country = 'Spain' AND age > 20";
  const PRED = "SELECT name FROM singer WHERE country = 'spain' AND age > 20";

  it('prints verdict with carets, stages side by side, rows with conditions, kinds of error and the repair', async () => {
    const { code, stdout } = await sqlAgent(['diagnose', db, '--gold', GOLD, '--pred', PRED]);
    assert.equal(code, 0);
    const lines = stdout.split('\n');
    assert.equal(lines[0], 'WHERE drops 1 row that the gold keeps.');
    const [sql, carets] = [lines[1] ?? '', lines[2] ?? ''];
    assert.equal(sql.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1), "WHERE country = 'spain' AND age > 20");
    assert.match(stdout, /^> +0 +WHERE country = 'spain'.* 1 +WHERE country = 'Spain'/m);
    assert.match(stdout, /^Missing: .* \(1 row\)$/m);
    assert.match(stdout, /Spain +41 +country = 'spain': false; age > 20: true$/m);
    assert.match(stdout, /^ {2}filter case or space \(shown by running it\): /m);
    assert.match(stdout, /'spain' → 'Spain'$/m);
    assert.match(stdout, new RegExp(`^  ${GOLD}$`, 'm'));
  });

  it('prints the diagnosis as JSON that its schema accepts; --no-repair looks for none', async () => {
    const { code, stdout } = await sqlAgent(['diagnose', db, '--gold', GOLD, '--pred', PRED, '--json']);
    const answer = JSON.parse(stdout);
    assert.deepEqual([code, answer.status], [0, 'ok']);
    const diagnosis = Diagnosis.parse(answer);
    assert.equal(diagnosis.repair?.sql, GOLD);
    assert.equal(diagnosis.stages.pred[diagnosis.stage ?? -1]?.clause, 'WHERE');
    const without = await sqlAgent(['diagnose', db, '--gold', GOLD, '--pred', PRED, '--no-repair', '--json']);
    assert.equal(JSON.parse(without.stdout).repair, null);
  });

  it('a prediction that does not run has the verdict error with its place', async () => {
    const pred = 'SELECT name\nFROM singer\nWHERE country = Spain';
    const { code, stdout } = await sqlAgent(['diagnose', db, '--gold', GOLD, '--pred', pred, '--json']);
    const answer = Diagnosis.parse(JSON.parse(stdout));
    assert.deepEqual([code, answer.verdict, at(pred, answer.range), answer.range?.line], [0, 'error', 'Spain', 3]);
  });

  it('without a gold the query alone is looked at', async () => {
    const { code, stdout } = await sqlAgent(['diagnose', db, '--pred', PRED]);
    assert.equal(code, 0);
    assert.match(stdout, /^No row of singer\.country holds 'spain'\. Near it: 'Spain'\.\n.*\n +\^{7}$/m);
    const json = await sqlAgent(['diagnose', db, '--pred', PRED, '--json']);
    assert.equal(Inspection.parse(JSON.parse(json.stdout)).hints[0]?.kind, 'value_not_found');
  });

  it('says how it is used, and which item or database is not there', async () => {
    assert.equal((await sqlAgent(['diagnose'])).code, 2);
    assert.equal((await sqlAgent(['diagnose', db])).code, 2);
    assert.equal((await sqlAgent(['diagnose', 'run', 'q1', '--pred', 'SELECT 1'])).code, 2);
    const missing = await sqlAgent(['diagnose', join(folder.path, 'no.sqlite'), '--pred', 'SELECT 1']);
    assert.equal(missing.code, 1);
  });

  describe('on a run', () => {
    const root = join(folder.path, 'databases');

    before(async () => {
      mkdirSync(join(root, 'stage'), { recursive: true });
      renameSync(folder.database('copy.sqlite', STAGE), join(root, 'stage', 'stage.sqlite'));
      const item = { db_id: 'stage', gold: GOLD };
      await writeRun(results, '20261129-100000-model-dev-0001', [
        itemRecord('q1', 'right', { ...item, sql: GOLD }),
        itemRecord('q2', 'wrong_rows', { ...item, sql: PRED }),
        itemRecord('q 3', 'wrong_rows', { ...item, sql: GOLD.replace('Spain', 'SPAIN') }),
        itemRecord('q4', 'wrong_rows', { ...item, sql: GOLD.replace('name', 'name, age') }),
        itemRecord('q5', 'sql_error', { ...item, sql: 'SELECT nme FROM singer' }),
        itemRecord('q6', 'no_sql', item),
      ]);
    });

    const common = ['--results', results, '--db-root', root];

    it('an item is named by run and id', async () => {
      const { code, stdout } = await sqlAgent(['diagnose', '0001', 'q4', ...common]);
      assert.equal(code, 0);
      assert.match(stdout, /^q4: How many of q4\?\n\nThe rows are the same up to SELECT/);
      assert.match(stdout, /extra column \(shown by running it\)/);
      const unknown = await sqlAgent(['diagnose', '0001', 'q9', ...common, '--json']);
      assert.deepEqual([unknown.code, JSON.parse(unknown.stdout).code], [1, 'item_unknown']);
      const empty = await sqlAgent(['diagnose', '0001', 'q6', ...common, '--json']);
      assert.equal(JSON.parse(empty.stdout).code, 'item_without_sql');
      const nowhere = await sqlAgent(['diagnose', '0001', 'q4', '--results', results, '--json']);
      assert.equal(JSON.parse(nowhere.stdout).code, 'databases_not_found');
    });

    it('report --diagnose counts the errors of the failing items, and each leads to its items', async () => {
      const html = join(folder.path, 'report.html');
      const { code, stdout } = await sqlAgent(['report', '0001', '--diagnose', ...common, '--html', html, '--json']);
      assert.equal(code, 0);
      const { what_goes_wrong: found } = JSON.parse(stdout);
      const counted = found.classes.map(({ class: kind, items }: { class: string; items: { id: string }[] }) => [
        kind,
        items.map(({ id }) => id),
      ]);
      assert.deepEqual(counted, [
        ['filter_case_or_space', ['q 3', 'q2']],
        ['does_not_run', ['q5']],
        ['extra_column', ['q4']],
      ]);
      assert.deepEqual(
        found.undiagnosed.map(({ id }: { id: string }) => id),
        ['q6'],
      );
      const page = readFileSync(html, 'utf8');
      const links = [...page.matchAll(/<a href="#([^"]+)">([^<]+)<\/a>/g)].map(([, to, text]) => ({ to, text }));
      assert.deepEqual(
        links.map(({ text }) => text),
        ['q 3', 'q2', 'q5', 'q4'],
      );
      for (const { to, text } of links) assert.match(page, new RegExp(`<details id="${to}">\\n<summary>${text} ·`));
      const markdown = await sqlAgent(['report', '0001', '--diagnose', ...common, '--markdown']);
      assert.match(
        markdown.stdout,
        /\| filter case or space \| 2 \| 2 \| \[q 3\]\(#item-q_203\), \[q2\]\(#item-q2\) \|/,
      );
      const text = await sqlAgent(['report', '0001', '--diagnose', ...common]);
      assert.match(text.stdout, /^filter case or space +2 +2 +q 3, q2$/m);
    });
  });
});
