import assert from 'node:assert/strict';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readModelEntry } from '../../../src/runtime/model/manifest.ts';
import { emptyAdapter, smallAdapter } from '../../support/adapter.ts';
import { sqlAgent } from '../../support/cli.ts';
import { countingItems, EvalWorld } from './eval-support.ts';

describe('an evaluation with an adapter', function () {
  this.timeout(120_000);
  const world = new EvalWorld();
  const items = countingItems(2);
  const run = join(world.folder.path, 'first');
  const adapter = join(run, 'adapter.gguf');
  after(() => world.remove());

  async function evaluate(file: string, ...more: string[]) {
    const dataset = join(world.folder.path, 'test.sql-tests.jsonl');
    const words = ['--dataset', dataset, '--model', 'small', '--adapter', file, '--results', world.results];
    return await sqlAgent(['eval', ...words, '--out', world.out, ...more], { cwd: world.folder.path, env: world.env });
  }

  before(async () => {
    world.use(items);
    mkdirSync(run);
    await smallAdapter(adapter);
    const { code, stderr } = await evaluate(adapter);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /small with first on 2 items/);
  });

  it('is called after the adapter, in report and comparison too', async () => {
    const [line] = world.ledger();
    assert.ok(line);
    assert.deepEqual([line.config.model.name, line.config.model.adapterName], ['small', 'first']);
    assert.match(line.run_id, /-small-with-first-test-/);
    const options = { cwd: world.folder.path, env: world.env };
    const results = ['--results', world.results];
    assert.match((await sqlAgent(['report', line.run_id, ...results], options)).stdout, /small with first on test/);
    const compared = await sqlAgent(['compare', line.run_id, line.run_id, ...results], options);
    assert.match(compared.stdout, /small with first/);
  });

  it('goes on where it ended, also after the file was renamed, and keeps what was finished', async () => {
    const [first = ''] = world.lines();
    writeFileSync(join(world.out, 'items.jsonl'), `${first}\n`);
    const renamed = join(run, 'renamed.gguf');
    renameSync(adapter, renamed);
    const { code, stderr } = await evaluate(renamed, '--resume');
    assert.equal(code, 0, stderr);
    assert.equal(world.lines()[0], first);
    assert.deepEqual(
      world.records().map(({ id }) => id),
      items.map(({ id }) => id),
    );
    assert.equal(world.runFile().config.model.adapterName, 'first');
  });

  it('does not go on with another adapter', async () => {
    const other = join(world.folder.path, 'other.gguf');
    await emptyAdapter(other, { name: 'any', sha256: readModelEntry('small').base.sha256 });
    const { code, stderr } = await evaluate(other, '--resume');
    assert.equal(code, 1);
    assert.match(stderr, /model\.adapter was "[0-9a-f]{64}" and is "[0-9a-f]{64}"/);
    assert.doesNotMatch(stderr, /adapterName/);
  });

  it('does not begin with an adapter of another model', async () => {
    const foreign = join(world.folder.path, 'foreign.gguf');
    await emptyAdapter(foreign, { name: 'any', sha256: readModelEntry('coder').base.sha256 });
    const { code, stderr } = await evaluate(foreign, '--resume');
    assert.equal(code, 1);
    assert.match(stderr, /was trained for "coder", and the model asked for is "small"/);
  });
});
