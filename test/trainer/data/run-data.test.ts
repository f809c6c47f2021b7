import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completeConfig } from '../../../python-free-trainer/src/config/complete.ts';
import { openTokenizer } from '../../../python-free-trainer/src/data/tokenizer.ts';
import { loadRunData } from '../../../python-free-trainer/src/train/data.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { tinyFolder } from '../support/tiny-folder.ts';

describe('the examples of a run', () => {
  let folder: TemporaryFolder;
  let base: string;
  before(() => {
    folder = temporaryFolder();
    base = tinyFolder(folder.path);
  });
  after(() => folder.remove());

  async function splitOf(ids: readonly (number | undefined)[], heldOut: number) {
    const path = join(folder.path, 'pairs.jsonl');
    const lines = ids.map((id, index) => ({ id, user: `Question ${id}, wording ${index}?`, sql: 'SELECT 1' }));
    writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
    const data = { train: path, held_out: heldOut };
    const config = completeConfig({ model: { base }, data }, 'the settings', { parameters: 1, maxPositions: 4096 });
    const { train, evaluation, notes } = await loadRunData(config, 1000);
    const tokenizer = await openTokenizer(base);
    const idsOf = (examples: typeof train) =>
      examples.map(({ tokens }) => /Question (\w+),/.exec(tokenizer.decode(tokens))?.[1]);
    const note = notes.find((text) => text.startsWith('Nothing is set apart')) ?? '';
    return { trained: idsOf(train), apart: idsOf(evaluation), note };
  }

  it('that are set apart are of no question that is trained on in other words', async () => {
    const { trained, apart, note } = await splitOf(
      Array.from({ length: 200 }, (_, index) => index % 40),
      0.1,
    );
    assert.deepEqual([trained.length, apart.length, new Set(apart).size], [180, 20, 4]);
    assert.ok(apart.every((id) => !trained.includes(id)));
    assert.equal(note, '');
  });

  it('are all trained on, with a note, where those that belong together are too many to be set apart', async () => {
    const { trained, apart, note } = await splitOf(Array<number>(20).fill(3), 0.1);
    assert.deepEqual([trained.length, apart.length], [20, 0]);
    assert.match(note, /one "id" .*"data\.held_out"/);
    const lone = await splitOf(Array<undefined>(20).fill(undefined), 0.1);
    assert.deepEqual([lone.trained.length, lone.apart.length, lone.note], [18, 2, '']);
  });
});
