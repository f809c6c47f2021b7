import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordFolder, recordOf, stateOf } from '../../../../src/host/ask/record.ts';
import { type AskState, EMPTY, reduce } from '../../../../src/host/ask/state.ts';
import { askResult } from './support.ts';

const asked = reduce(EMPTY, {
  type: 'asked',
  at: 0,
  question: { question: 'How many?', evidence: '', previous: null, samples: 2 },
});

function answered(rows: number, cell: string): AskState {
  const result = askResult({ rows: Array.from({ length: rows }, () => [cell]) });
  return reduce(asked, { type: 'event', at: 10, event: { type: 'result', result } });
}

describe('what is kept of an ask panel', () => {
  it('comes back as it was', () => {
    const state = answered(3, 'x');
    const back = stateOf(JSON.parse(JSON.stringify(recordOf(state))));
    assert.deepEqual(back, { ...state, startedAt: 0, phaseAt: 0 });
  });

  it('comes back interrupted where the agent still worked', () => {
    const back = stateOf(JSON.parse(JSON.stringify(recordOf(asked))));
    assert.deepEqual([back?.run?.status, back?.run?.phase, back?.samples], ['interrupted', null, 2]);
  });

  it('keeps the first rows of a large result and says that there are more', () => {
    const back = stateOf(recordOf(answered(5000, 'x'.repeat(1000))));
    const table = back?.run?.answer?.outcome.table;
    assert.ok(table && table.rows > 900 && table.rows < 1000);
    assert.equal(table.truncated, true);
    assert.equal(back?.rows[table.id]?.length, table.rows);
  });

  it('is nothing where the file is not one of ours', () => {
    for (const record of [null, 'x', {}, { version: 2 }, { ...recordOf(asked), run: { id: 1 } }])
      assert.equal(stateOf(record), null);
  });
});

describe('the folder that ask panels are kept in', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ask-records-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('keeps the latest of many writes', async () => {
    const records = new RecordFolder(join(folder, 'new', 'ask'));
    await Promise.all([1, 2, 3].map((rows) => records.write('p', answered(rows, 'x'))));
    assert.equal((await records.read('p'))?.rows['run-1']?.length, 3);
    assert.deepEqual(readdirSync(join(folder, 'new', 'ask')), ['p.json']);
  });

  it('gives nothing for a panel that it does not know or cannot read', async () => {
    const records = new RecordFolder(folder);
    assert.equal(await records.read('p'), null);
    writeFileSync(join(folder, 'p.json'), '{"version":1,');
    assert.equal(await records.read('p'), null);
  });

  it('forgets a panel that was closed, also while it is written', async () => {
    const records = new RecordFolder(folder);
    const writing = records.write('p', answered(1, 'x'));
    await records.remove('p');
    await writing;
    assert.deepEqual(readdirSync(folder), []);
  });

  it('forgets the oldest of too many panels', async () => {
    for (let index = 0; index < 40; index += 1) {
      const path = join(folder, `p${index}.json`);
      writeFileSync(path, '{}');
      utimesSync(path, 1000 + index, 1000 + index);
    }
    await new RecordFolder(folder).prune();
    const left = readdirSync(folder);
    assert.equal(left.length, 30);
    assert.ok(left.includes('p39.json') && !left.includes('p9.json'));
  });
});
