import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXPECTED_LOSSES, selfTest } from '../../../python-free-trainer/src/doctor/self-test.ts';
import { LedgerLine } from '../../../src/protocol/ledger.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { pairsFile, tinyFolder } from '../support/tiny-folder.ts';
import { callTrainer, eventsOf, runFolder, type TrainerCall } from '../support/trainer.ts';

describe('sql-agent-trainer', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  const home = join(folder.path, 'home');
  const results = join(folder.path, 'results');
  const run = join(folder.path, 'run');
  let base: string;
  let data: string;
  after(() => folder.remove());
  const call = (words: string[], options: Omit<TrainerCall, 'home'> = {}) => callTrainer(words, { home, ...options });
  const answer = async (words: string[]) => {
    const { code, printed } = await call(words);
    return { code, body: printed[0] as Record<string, never> };
  };

  before(async () => {
    base = tinyFolder(folder.path);
    data = pairsFile(folder.path, 12);
    const words = ['--base', base, '--data', data, '--steps', '3', '--threads', '1', '--results', results];
    const { code, stderr, printed } = await call(['train', run, ...words, '--lr', '0.01', '--r', '4']);
    assert.equal(code, 0, stderr);
    assert.deepEqual(printed, eventsOf(run), 'what --json prints is what stands in events.jsonl');
  });

  it('explains every verb with --help, as one JSON object too', async () => {
    const help: string = (await answer(['--help'])).body['help'] ?? '';
    for (const verb of ['doctor', 'train', 'eval', 'export', 'inspect']) {
      assert.match(help, new RegExp(`^  ${verb} `, 'm'));
      const { code, body } = await answer([verb, '--help']);
      assert.equal(code, 0);
      assert.match(body['help'] ?? '', new RegExp(`^Usage: sql-agent-trainer ${verb}`));
    }
  });

  it('exits with 2 where words make no sense', async () => {
    for (const words of [
      [],
      ['--json'],
      ['--json', 'tune'],
      ['tune'],
      ['train'],
      ['train', 'a', 'b'],
      ['train', run, '--rank', '3'],
      ['eval', run],
    ])
      assert.equal((await call(words)).code, 2, words.join(' '));
    assert.equal((await call(['train', join(folder.path, 'x'), '--base', base])).code, 2);
    assert.equal(
      (await call(['train', join(folder.path, 'x'), '--base', base, '--data', data, '--steps', '0'])).code,
      2,
    );
    assert.ok(!existsSync(join(folder.path, 'x')));
  });

  it('writes the settings of a new run from options, and changes none of a run that has some', async () => {
    const config = JSON.parse(readFileSync(join(run, 'config.json'), 'utf8'));
    assert.deepEqual(config, {
      v: 1,
      algorithm: 'sft',
      model: { base },
      data: { train: data },
      lora: { r: 4, alpha: 8 },
      optimiser: { lr: 0.01 },
      length: { steps: 3 },
      threads: 1,
      results,
    });
    const { code, printed } = await call(['train', run, '--base', base, '--data', data]);
    assert.deepEqual([code, (printed[0] as { code: string }).code], [1, 'config_exists']);
  });

  it('says so where there is no run directory, model or data', async () => {
    const codeOf = async (words: string[]) => {
      const { code, printed } = await call(words);
      assert.equal(code, 1);
      return (printed.at(-1) as { code: string }).code;
    };
    assert.equal(await codeOf(['train', join(folder.path, 'nowhere')]), 'config_missing');
    const missing = { model: { base: join(folder.path, 'no.gguf') }, data: { train: data } };
    assert.equal(await codeOf(['train', runFolder(folder.path, 'no-model', missing)]), 'model_missing');
    const noData = { model: { base }, data: { train: join(folder.path, 'no.jsonl') } };
    assert.equal(await codeOf(['train', runFolder(folder.path, 'no-data', noData)]), 'data_missing');
    const cuda = { model: { base }, data: { train: data }, batch: { pack_tokens: 8 } };
    assert.equal(await codeOf(['train', runFolder(folder.path, 'short', cuda)]), 'example_exceeds_pack');
  });

  it('leaves no run directory behind where a path is mistyped', async () => {
    const [fresh, no] = [join(folder.path, 'fresh'), join(folder.path, 'no-such')];
    for (const [code, words] of [
      ['model_missing', ['--base', no, '--data', data]],
      ['data_missing', ['--base', base, '--data', no]],
      ['adapter_missing', ['--base', base, '--data', data, '--adapter', no]],
    ] as const) {
      const { printed } = await call(['train', fresh, ...words]);
      assert.equal((printed[0] as { code: string }).code, code);
      assert.ok(!existsSync(fresh));
    }
  });

  it('refuses a run that another process works on, and names it', async () => {
    const settings = { model: { base }, data: { train: data }, length: { epochs: 50 }, batch: { examples: 2 } };
    const busy = runFolder(folder.path, 'busy', settings);
    const seconds: ReturnType<typeof call>[] = [];
    let pid = 0;
    const first = await call(['train', busy], {
      onEvent: (event, child) => {
        if (event.kind !== 'step' || seconds.length > 0) return;
        pid = child.pid ?? 0;
        seconds.push(call(['train', busy]).finally(() => child.kill('SIGTERM')));
      },
    });
    assert.equal(first.code, 130);
    const [refused] = await Promise.all(seconds);
    assert.equal(refused?.code, 1);
    assert.match(JSON.stringify(refused.printed[0]), new RegExp(`"code":"run_locked".*process ${pid}\\b`));
  });

  it('writes a line into the ledger for the run, with the hash of the adapter', () => {
    const [text = '', ...others] = readFileSync(join(results, 'ledger.jsonl'), 'utf8').trim().split('\n');
    const line = LedgerLine.parse(JSON.parse(text));
    assert.ok(line.kind === 'train');
    assert.deepEqual(
      [line.state, line.summary.steps, line.output?.path, others],
      ['done', 3, '../run/adapter.gguf', []],
    );
    assert.deepEqual(line.command.slice(0, 2), ['sql-agent-trainer', 'train']);
  });

  it('measures the run better than its base, example by example', async () => {
    const trained = (await answer(['eval', run, '--data', data])).body;
    const bare = (await answer(['eval', base, '--data', data])).body;
    const adapted = (await answer(['eval', base, '--data', data, '--adapter', join(run, 'adapter')])).body;
    const best = (await answer(['eval', run, '--data', data, '--checkpoint', 'best'])).body;
    assert.ok(Number(trained['loss']) < Number(bare['loss']));
    assert.deepEqual([adapted['loss'], best['loss']], [trained['loss'], trained['loss']]);
    const examples: { loss: number; loss_tokens: number }[] = trained['examples'] ?? [];
    assert.equal(examples.length, 12);
    const sum = examples.reduce((total, { loss, loss_tokens }) => total + loss * loss_tokens, 0);
    assert.ok(Math.abs(sum / Number(trained['loss_tokens']) - Number(trained['loss'])) < 1e-9);
  });

  it('doctor finds what there is to train on, and never fails for want of a GPU', async () => {
    const { code, body } = await answer(['doctor']);
    assert.equal(code, 0);
    const checks: { name: string; state: string; detail: string }[] = body['checks'] ?? [];
    assert.equal(checks.find(({ name }) => name === 'self-test')?.state, 'ok');
    assert.ok(Number(body['cpuFlops']) > 1e8);
    const libraries: { name: string; searched: string[] }[] = body['libraries'] ?? [];
    assert.deepEqual(
      libraries.map(({ name }) => name),
      ['cublasLt', 'nvrtc', 'cudnn'],
    );
    assert.ok(libraries.every(({ searched }) => searched.length > 0));
  });

  it('doctor says what is broken and exits with 1', async () => {
    const file = join(folder.path, 'a file');
    writeFileSync(file, '');
    const { code, printed } = await callTrainer(['doctor'], { home: join(file, 'home') });
    assert.equal(code, 1);
    assert.match(JSON.stringify(printed[0]), /"code":"broken".*cannot be written.*SQL_AGENT_HOME/);
  });

  it('tests itself against losses that double precision gives', async () => {
    const { ok, losses } = await selfTest('cpu', true);
    assert.ok(ok);
    for (const [index, loss] of losses.entries())
      assert.ok(Math.abs(loss - (EXPECTED_LOSSES[index] ?? 0)) < 1e-11, `loss ${index}`);
  });

  it('takes a folder in place of the data for what it is', async () => {
    const path = join(folder.path, 'folder');
    mkdirSync(path);
    const { code, body } = await answer(['eval', base, '--data', path]);
    assert.deepEqual([code, body['code']], [1, 'data_unreadable']);
  });
});
