import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SplitFile } from '../../../src/protocol/dataset.ts';
import { sqlAgent } from '../../support/cli.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { itemsOn, list } from './dataset-support.ts';

describe('sql-agent split', function () {
  this.timeout(60_000);
  let folder: TemporaryFolder;
  beforeEach(() => {
    folder = temporaryFolder();
    writeFileSync(join(folder.path, 'all.json'), list(itemsOn({ a: 60, b: 20, c: 10, d: 10 })));
  });
  afterEach(() => folder.remove());

  const split = (...words: string[]) => sqlAgent(['split', '--dataset', 'all.json', ...words], { cwd: folder.path });
  const PARTS = ['--part', 'train=0.6', '--part', 'dev=0.2', '--part', 'test=0.1'];
  const kept = () => readFileSync(join(folder.path, 'all.splits.json'), 'utf8');

  it('writes the splits beside the dataset and prints them', async () => {
    const { code, stdout, stderr } = await split(...PARTS, '--seal', 'test', '--seed', '5');
    assert.deepEqual([code, stderr], [0, '']);
    const file = SplitFile.parse(JSON.parse(kept()));
    assert.deepEqual(
      file.splits.map(({ name, sealed, ids }) => [name, sealed, ids.length]),
      [
        ['train', false, 60],
        ['dev', false, 20],
        ['test', true, 10],
      ],
    );
    assert.deepEqual([file.seed, file.dataset.name], [5, 'all.json']);
    assert.match(stdout, /train +1 +60 +60\.00 % +[0-9a-f]{16}\n/);
    assert.match(stdout, /test +sealed +1 +10 +10\.00 %/);
    assert.match(stdout, /10 of 100 items are in no split\.\n\nWritten to .*all\.splits\.json\n$/);
  });

  it('gives the same file for the same seed', async () => {
    await split(...PARTS);
    const first = kept();
    await split(...PARTS);
    assert.equal(kept(), first);
  });

  it('replaces no file with a sealed split unless told to', async () => {
    await split(...PARTS, '--seal', 'test');
    const sealed = kept();
    const { code, stderr } = await split('--part', 'train=0.9');
    assert.equal(code, 1);
    assert.match(stderr, /sealed split "test"\. Replacing it breaks the seal: .* Add --replace/);
    assert.equal(kept(), sealed);
    assert.equal((await split('--part', 'train=0.9', '--replace')).code, 0);
    assert.notEqual(kept(), sealed);
  });

  it('lists the splits there are, and says where they are of another state of the dataset', async () => {
    const none = await split('--list');
    assert.equal(none.code, 1);
    assert.match(none.stderr, /no file of splits .*all\.splits\.json/);
    await split(...PARTS);
    const listed = await split('--list', '--json');
    assert.equal(listed.code, 0);
    const answer = JSON.parse(listed.stdout);
    assert.deepEqual([answer.status, answer.splits[0].share, answer.splits[0].databases], ['ok', 0.6, ['a']]);
    writeFileSync(join(folder.path, 'all.json'), list(itemsOn({ a: 61 })));
    const stale = await split('--list');
    assert.equal(stale.code, 1);
    assert.match(stale.stderr, /has changed since it was split/);
  });

  it('writes elsewhere where told to, and says that verbs do not look there', async () => {
    const { code, stderr } = await split(...PARTS, '--out', 'else.json');
    assert.equal(code, 0);
    assert.match(stderr, /verbs read the splits of this dataset from .*all\.splits\.json/);
    assert.ok(existsSync(join(folder.path, 'else.json')) && !existsSync(join(folder.path, 'all.splits.json')));
    const before = readFileSync(join(folder.path, 'all.json'), 'utf8');
    assert.equal((await split(...PARTS, '--out', 'all.json', '--replace')).code, 1);
    assert.equal(readFileSync(join(folder.path, 'all.json'), 'utf8'), before);
  });

  it('says what is wrong with the parts', async () => {
    const five = ['v', 'w', 'x', 'y', 'z'].flatMap((name) => ['--part', `${name}=0.1`]);
    for (const [words, expected, exit] of [
      [['--part', 'a=0.8', '--part', 'b=0.3'], /add up to 1\.1, more than 1/, 1],
      [five, /5 splits cannot be made of 4 databases/, 1],
      [['--part', 'a=0.5', '--seal', 'b'], /--seal names "b", which is no part/, 1],
      [['--part', 'a'], /--part takes NAME=SHARE/, 2],
      [['--part', 'a=-1'], /--part takes NAME=SHARE/, 2],
      [[], /needs a --part NAME=SHARE, or --list/, 2],
      [['--list', '--part', 'a=1'], /--list takes no --part/, 2],
    ] as const) {
      const { code, stderr } = await split(...words);
      assert.equal(code, exit, stderr);
      assert.match(stderr, expected);
    }
    assert.ok(!existsSync(join(folder.path, 'all.splits.json')));
  });
});
