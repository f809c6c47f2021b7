import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Ledger } from '../../../src/runtime/store/ledger.ts';
import { openStore, type Store } from '../../../src/runtime/store/store.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { evalEntry } from './support/entry.ts';

describe('the list of runs', () => {
  const folder = temporaryFolder();
  let store: Store;
  let count = 0;
  before(() => {
    store = openStore(join(folder.path, 'home'));
  });
  after(() => {
    store.close();
    folder.remove();
  });

  async function ledgerOfThree(): Promise<Ledger> {
    const ledger = new Ledger(join(folder.path, `ledger${count++}`), store);
    for (const id of ['one', 'two', 'three']) await ledger.append(evalEntry(id));
    return ledger;
  }

  /** The list by the index, which must be what the file alone says. */
  async function listed(ledger: Ledger): Promise<string[]> {
    const byIndex = await ledger.list();
    assert.deepEqual(byIndex, await new Ledger(ledger.folder).list());
    return byIndex.rows.map(({ run_id }) => run_id);
  }

  it('is newest first, and says how many there are behind its limit', async () => {
    const ledger = await ledgerOfThree();
    for (const some of [await ledger.list(2), await new Ledger(ledger.folder).list(2)]) {
      assert.deepEqual(
        some.rows.map(({ run_id }) => run_id),
        ['three', 'two'],
      );
      assert.equal(some.total, 3);
    }
    assert.deepEqual(await listed(ledger), ['three', 'two', 'one']);
  });

  it('has what a row shows', async () => {
    const ledger = new Ledger(join(folder.path, 'row'), store, { now: () => new Date(0) });
    const entry = evalEntry('one');
    const split = { name: 'held_out', hash: '0'.repeat(64) };
    await ledger.append({ ...entry, config: { ...entry.config, split } });
    const { rows } = await ledger.list();
    assert.deepEqual(rows, [
      {
        run_id: 'one',
        time: '1970-01-01T00:00:00.000Z',
        started: '2026-11-29T21:00:00.000Z',
        state: 'done',
        dataset: 'dev.json',
        split: 'held_out',
        items: 4,
        done: 4,
        provider: 'local',
        model: 'small',
        protocol: 'one_shot',
        link: 'auto',
        samples: 1,
        metric: 'official_ex',
        right: 2,
        of: 4,
        low: 0.15,
        high: 0.85,
      },
    ]);
  });

  it('shows a line that was written since, by this process or another', async () => {
    const ledger = await ledgerOfThree();
    await listed(ledger);
    await ledger.append(evalEntry('four'));
    assert.deepEqual(await listed(ledger), ['four', 'three', 'two', 'one']);
    await new Ledger(ledger.folder).append(evalEntry('five'));
    assert.deepEqual(await listed(ledger), ['five', 'four', 'three', 'two', 'one']);
  });

  it('shows a run that was stopped and went on once, by its last line, as the newest', async () => {
    const ledger = await ledgerOfThree();
    await ledger.append(evalEntry('four', { state: 'stopped' }));
    await ledger.append(evalEntry('five'));
    assert.deepEqual(await listed(ledger), ['five', 'four', 'three', 'two', 'one']);
    await ledger.append(evalEntry('four'));
    assert.deepEqual(await listed(ledger), ['four', 'five', 'three', 'two', 'one']);
    assert.equal((await ledger.list(1)).rows[0]?.state, 'done');
    assert.equal((await ledger.find('four')).state, 'done');
  });

  it('leaves out the openings of sealed splits', async () => {
    const ledger = await ledgerOfThree();
    const named = { name: 'final', hash: '0'.repeat(64) };
    await ledger.append({
      kind: 'open_sealed',
      dataset: named,
      split: named,
      reason: 'the last test',
      command: ['eval'],
    });
    assert.deepEqual(await listed(ledger), ['three', 'two', 'one']);
    assert.equal((await ledger.read()).lines.length, 4);
  });

  it('notices an edit in the middle that keeps the length, with and without a line behind it', async () => {
    const ledger = await ledgerOfThree();
    await listed(ledger);
    const edit = () => writeFileSync(ledger.path, readFileSync(ledger.path, 'utf8').replace('"two"', '"TWO"'));
    edit();
    assert.deepEqual(await listed(ledger), ['three', 'TWO', 'one']);
    writeFileSync(ledger.path, readFileSync(ledger.path, 'utf8').replace('"TWO"', '"2nd"'));
    await ledger.append(evalEntry('four'));
    assert.deepEqual(await listed(ledger), ['four', 'three', '2nd', 'one']);
  });

  it('notices an edit whose writer set the time of the file back', async () => {
    const ledger = await ledgerOfThree();
    await listed(ledger);
    const { atime, mtime } = statSync(ledger.path);
    writeFileSync(ledger.path, readFileSync(ledger.path, 'utf8').replace('"two"', '"TWO"'));
    utimesSync(ledger.path, atime, mtime);
    assert.deepEqual(await listed(ledger), ['three', 'TWO', 'one']);
  });

  it('notices removed lines, and a ledger that begins anew', async () => {
    const ledger = await ledgerOfThree();
    await listed(ledger);
    const [, second = '', third = ''] = readFileSync(ledger.path, 'utf8').match(/.*\n/g) ?? [];
    writeFileSync(ledger.path, second + third);
    assert.deepEqual(await listed(ledger), ['three', 'two']);
    writeFileSync(ledger.path, '');
    assert.deepEqual(await listed(ledger), []);
    await ledger.append(evalEntry('first'));
    assert.deepEqual(await listed(ledger), ['first']);
  });

  it('tells of lines that cannot be read, also when they are indexed already, and shows the rest', async () => {
    const ledger = await ledgerOfThree();
    const [first = '', ...rest] = readFileSync(ledger.path, 'utf8').match(/.*\n/g) ?? [];
    writeFileSync(ledger.path, [first, 'note\n', ...rest].join(''));
    for (let again = 0; again < 2; again += 1) {
      assert.deepEqual(await listed(ledger), ['three', 'two', 'one']);
      assert.match((await ledger.list()).problems.join(), /^Line 2 of the ledger .* is not JSON\.$/);
    }
    await ledger.append(evalEntry('four'));
    assert.deepEqual(await listed(ledger), ['four', 'three', 'two', 'one']);
    assert.equal((await ledger.list()).problems.length, 1);
  });

  it('shows a whole line without a line feed, and a torn one as a problem', async () => {
    const ledger = await ledgerOfThree();
    await listed(ledger);
    const text = readFileSync(ledger.path, 'utf8');
    writeFileSync(ledger.path, text.slice(0, -1));
    assert.deepEqual(await listed(ledger), ['three', 'two', 'one']);
    writeFileSync(ledger.path, `${text}{"v":1,`);
    assert.deepEqual(await listed(ledger), ['three', 'two', 'one']);
    assert.match((await ledger.list()).problems.join(), /^Line 4 of the ledger .* is not JSON\.$/);
    await ledger.append(evalEntry('four'));
    assert.deepEqual(await listed(ledger), ['four', 'three', 'two', 'one']);
  });

  it('keeps fields that a newer version added in the text of a line', async () => {
    const ledger = await ledgerOfThree();
    const line = (await ledger.find('one')) as object;
    appendFileSync(ledger.path, `${JSON.stringify({ ...line, run_id: 'newer', mood: 'good' })}\n`);
    const { text, line: read } = await ledger.findText('newer');
    assert.equal(JSON.parse(text).mood, 'good');
    assert.equal('mood' in read, false);
    const { runs } = await ledger.readTexts();
    assert.match(runs[0]?.text ?? '', /"mood":"good"/);
  });

  it('finds a run of a long ledger by its place in it', async () => {
    const ledger = await ledgerOfThree();
    assert.equal((await ledger.find('tw')).run_id, 'two');
    assert.equal((await ledger.find('latest~2')).run_id, 'one');
    await assert.rejects(ledger.find('t'), { code: 'run_ambiguous' });
    await assert.rejects(ledger.find('nine'), { code: 'run_unknown' });
  });

  it('does without the index where the store fails', async () => {
    const ledger = await ledgerOfThree();
    const wanting = openStore(join(folder.path, 'wanting-home'));
    const database = new Database(join(folder.path, 'wanting-home', 'store.sqlite'));
    database.exec('DROP TABLE ledger_run');
    database.close();
    const without = new Ledger(ledger.folder, wanting);
    assert.deepEqual(
      (await without.list()).rows.map(({ run_id }) => run_id),
      ['three', 'two', 'one'],
    );
    assert.match(wanting.notes.join(), /It is only a cache/);
    wanting.close();
  });
});
