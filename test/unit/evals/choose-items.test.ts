import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSplits } from '../../../src/core/evals/split.ts';
import type { SplitFile } from '../../../src/protocol/dataset.ts';
import type { LedgerEntry } from '../../../src/protocol/ledger.ts';
import { type Choice, chooseItems, unsealedItems } from '../../../src/runtime/evals/choose-items.ts';
import { type Dataset, loadDataset } from '../../../src/runtime/evals/load-dataset.ts';
import { sha256, splitsPath, writeSplitFile } from '../../../src/runtime/evals/splits.ts';
import { Ledger } from '../../../src/runtime/store/ledger.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { failure, itemsOn, list, loadText } from './dataset-support.ts';

const WHOLE: Choice = { split: null, openSealed: null, limit: null, every: null, ids: null };

/** Collects what is appended. */
function recorder() {
  const entries: LedgerEntry[] = [];
  return {
    entries,
    append: async (entry: LedgerEntry) => {
      entries.push(entry);
    },
  };
}

describe('choosing items', () => {
  let folder: TemporaryFolder;
  let dataset: Dataset;
  let splits: SplitFile;

  beforeEach(async () => {
    folder = temporaryFolder();
    dataset = await loadText(folder.path, 'dev.json', list(itemsOn({ a: 6, b: 3, c: 3, d: 2 })));
  });
  afterEach(() => folder.remove());

  /** Splits the dataset in three: train (a), dev (b or c) and test (the other), sealed. */
  async function split(): Promise<void> {
    const parts = [
      { name: 'train', share: 6 / 14 },
      { name: 'dev', share: 3 / 14 },
      { name: 'test', share: 3 / 14 },
    ];
    const made = makeSplits(dataset.items, { parts, seed: 1, sealed: ['test'] }, sha256);
    splits = { version: 1, dataset: { name: dataset.name, hash: dataset.hash }, seed: 1, splits: made };
    await writeSplitFile(splitsPath(dataset.path), splits, false);
  }

  const idsOf = (name: string) => splits.splits.find((each) => each.name === name)?.ids ?? [];

  async function choose(choice: Partial<Choice>, ledger = recorder()) {
    const chosen = await chooseItems(dataset, { ...WHOLE, ...choice }, ledger, ['sql-agent', 'eval']);
    return { ...chosen, ids: chosen.items.map(({ id }) => id), entries: ledger.entries };
  }

  const refuses = (choice: Partial<Choice>, ledger = recorder()) =>
    failure(chooseItems(dataset, { ...WHOLE, ...choice }, ledger, ['sql-agent', 'eval']));

  it('takes all items in the order of the file where nothing is said', async () => {
    const { items, split: named, notes } = await choose({});
    assert.deepEqual([items, named, notes], [dataset.items, null, []]);
  });

  it('takes every third from the first, then the first two', async () => {
    const all = dataset.items.map(({ id }) => id);
    assert.deepEqual((await choose({ every: 3 })).ids, [all[0], all[3], all[6], all[9], all[12]]);
    assert.deepEqual((await choose({ every: 3, limit: 2 })).ids, [all[0], all[3]]);
    assert.deepEqual((await choose({ limit: 100 })).ids, all);
    for (const choice of [{ every: 0 }, { limit: 0 }, { limit: 1.5 }])
      assert.equal((await refuses(choice)).code, 'bad_choice');
  });

  it('has the splits of the file that a link leads to: a link opens nothing', async () => {
    await split();
    const link = join(folder.path, 'link.json');
    symlinkSync(dataset.path, link);
    const linked = await loadDataset(link);
    const { items } = await chooseItems(linked, WHOLE, recorder(), []);
    assert.equal(items.length, dataset.items.length - idsOf('test').length);
  });

  it('takes a split before every and limit', async () => {
    await split();
    const { ids, split: named } = await choose({ split: 'train', every: 2, limit: 2 });
    assert.deepEqual(ids, [idsOf('train')[0], idsOf('train')[2]]);
    assert.deepEqual(named, { name: 'train', hash: splits.splits[0]?.hash });
  });

  it('takes ids in the order of the file, and names those that are unknown', async () => {
    assert.deepEqual((await choose({ ids: ['d-1', 'a-0', 'a-0'] })).ids, ['a-0', 'd-1']);
    const { code, message } = await refuses({ ids: ['a-0', ...Array.from({ length: 8 }, (_, n) => `x${n}`)] });
    assert.equal(code, 'ids_unknown');
    assert.match(message, /no item "x0", "x1", "x2", "x3", "x4" and 3 more/);
  });

  it('leaves the items of a sealed split out, and says how many', async () => {
    await split();
    const { ids, notes, entries } = await choose({});
    assert.deepEqual(
      ids,
      dataset.items.map(({ id }) => id).filter((id) => !idsOf('test').includes(id)),
    );
    assert.deepEqual([notes, entries], [['3 items of the sealed split "test" are left out.'], []]);
    assert.deepEqual(
      (await unsealedItems(dataset)).items.map(({ id }) => id),
      ids,
    );
  });

  it('refuses a sealed split and its items without a reason, and says how to open it', async () => {
    await split();
    for (const [choice, code] of [
      [{ split: 'test' }, 'split_sealed'],
      [{ ids: idsOf('test').slice(0, 1) }, 'id_sealed'],
      [{ split: 'test', openSealed: ' ' }, 'reason_missing'],
      [{ openSealed: '' }, 'reason_missing'],
    ] as const) {
      const ledger = recorder();
      const error = await refuses(choice, ledger);
      assert.equal(error.code, code);
      assert.match(error.message, /--open-sealed/);
      assert.deepEqual(ledger.entries, []);
    }
  });

  it('records the opening in the ledger with its reason', async () => {
    await split();
    const ledger = new Ledger(join(folder.path, 'results'));
    const { items } = await chooseItems(dataset, { ...WHOLE, split: 'test', openSealed: ' final figures ' }, ledger, [
      'sql-agent',
      'eval',
      '--split',
      'test',
    ]);
    assert.deepEqual(
      items.map(({ id }) => id),
      idsOf('test'),
    );
    const { lines, problems } = await ledger.read();
    assert.deepEqual(problems, []);
    const [line] = lines;
    assert.ok(line?.kind === 'open_sealed' && lines.length === 1);
    assert.deepEqual(line.dataset, { name: 'dev.json', hash: dataset.hash });
    assert.deepEqual(line.split, { name: 'test', hash: splits.splits[2]?.hash });
    assert.deepEqual([line.reason, line.command], ['final figures', ['sql-agent', 'eval', '--split', 'test']]);
  });

  it('hands nothing out where the ledger cannot be written', async () => {
    await split();
    const ledger = { entries: [], append: () => Promise.reject(new Error('no space left')) };
    await assert.rejects(choose({ split: 'test', openSealed: 'why' }, ledger), /no space left/);
  });

  it('records no opening where no sealed item is handed out', async () => {
    await split();
    const { entries, notes } = await choose({ split: 'train', openSealed: 'why' });
    assert.deepEqual(entries, []);
    assert.match(notes.join(), /nothing was opened/);
    assert.equal((await choose({ openSealed: 'why' })).entries.length, 1);
  });

  it('names the splits there are where another is asked for', async () => {
    assert.equal((await refuses({ split: 'dev' })).code, 'no_splits');
    await split();
    const { code, message } = await refuses({ split: 'nope' });
    assert.equal(code, 'split_unknown');
    assert.match(message, /It has train, dev, test\./);
    const elsewhere = await refuses({ split: 'dev', ids: [idsOf('train')[0] ?? ''] });
    assert.equal(elsewhere.code, 'ids_elsewhere');
  });

  it('refuses a dataset that has changed since it was split, without naming a split too', async () => {
    await split();
    writeFileSync(dataset.path, `${readFileSync(dataset.path, 'utf8')}\n`);
    dataset = await loadDataset(dataset.path);
    for (const choice of [{}, { split: 'train' }, { openSealed: 'why' }]) {
      const { code, message } = await refuses(choice);
      assert.equal(code, 'splits_stale');
      assert.match(message, /has changed since .*dev\.splits\.json was made/);
    }
  });

  it('names the file that splits were made for where another dataset has the same', async () => {
    await split();
    const path = dataset.path.replace(/\.json$/, '.jsonl');
    writeFileSync(path, '{"db_id": "d", "question": "q", "gold": "SELECT 1"}\n');
    dataset = await loadDataset(path);
    const { code, message } = await refuses({});
    assert.equal(code, 'splits_stale');
    assert.match(message, /dev\.splits\.json was made for dev\.json, not for .*dev\.jsonl, /);
  });

  it('passes by splits of another state where none is sealed and none is named', async () => {
    await split();
    const open = { ...splits, splits: splits.splits.map((each) => ({ ...each, sealed: false })) };
    await writeSplitFile(splitsPath(dataset.path), { ...open, dataset: { name: 'dev.json', hash: 'other' } }, true);
    const { items, notes } = await choose({});
    assert.equal(items.length, 14);
    assert.match(notes.join(), /another state of the dataset/);
    assert.equal((await refuses({ split: 'train' })).code, 'splits_stale');
  });

  it('refuses splits that were changed by hand or cannot be read', async () => {
    await split();
    const path = splitsPath(dataset.path);
    const moved = structuredClone(splits);
    moved.splits[0]?.ids.push(moved.splits[2]?.ids.pop() ?? '');
    writeFileSync(path, JSON.stringify(moved));
    assert.equal((await refuses({})).code, 'split_edited');
    for (const text of ['', '{', '[]', '{"version": 2}', JSON.stringify({ ...splits, splits: [{ name: 'x' }] })]) {
      writeFileSync(path, text);
      const { code, message } = await refuses({});
      assert.equal(code, 'splits_unreadable', message);
    }
    rmSync(path);
    assert.equal((await choose({})).items.length, 14);
  });

  it('keeps a file with a sealed split, unless it is to be replaced', async () => {
    await split();
    const path = splitsPath(dataset.path);
    const other = { ...splits, seed: 2 };
    const refused = await failure(writeSplitFile(path, other, false));
    assert.equal(refused.code, 'splits_sealed');
    assert.match(refused.message, /"test"\. Replacing it breaks the seal/);
    assert.equal(await writeSplitFile(path, splits, false), false, 'the same splits change nothing');
    assert.equal(JSON.parse(readFileSync(path, 'utf8')).seed, 1);
    assert.equal(await writeSplitFile(path, other, true), true);
    assert.equal(JSON.parse(readFileSync(path, 'utf8')).seed, 2);
  });

  it('overwrites no other file with splits, and leaves nothing where it cannot write', async () => {
    await split();
    const before = readFileSync(dataset.path, 'utf8');
    assert.equal((await failure(writeSplitFile(dataset.path, splits, true))).code, 'not_a_splits_file');
    assert.equal(readFileSync(dataset.path, 'utf8'), before);
    const nowhere = join(folder.path, 'nowhere', 'x.json');
    assert.equal((await failure(writeSplitFile(nowhere, splits, false))).code, 'splits_unwritable');
    assert.ok(!existsSync(nowhere));
  });
});
