import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, sqlAgent } from '../../support/cli.ts';
import { withServer } from '../providers/loopback.ts';
import { countingItems, EvalWorld, eventsOf, onceEvents, type TestItem } from './eval-support.ts';

const NEVER_MS = 600_000;

/** Items whose one at `index` is never answered. */
function stuckAt(index: number, count: number): TestItem[] {
  const stuck = (item: TestItem) => ({ ...item, reply: { text: String(item.reply), delayMs: NEVER_MS } });
  return countingItems(count).map((item, at) => (at === index ? stuck(item) : item));
}

/** Items that take a while each, so that a process is still at work when it is stopped after the first ones. */
function slowItems(count: number): TestItem[] {
  return countingItems(count).map((item) => ({ ...item, reply: { text: String(item.reply), delayMs: 25 } }));
}

describe('an evaluation that is stopped', () => {
  let world: EvalWorld;

  beforeEach(() => {
    world = new EvalWorld();
  });

  afterEach(() => world.remove());

  /** Runs until so many events of a type came, then does something to the process. */
  async function until(
    type: 'started' | 'item',
    count: number,
    act: (child: ChildProcess) => void,
    words: string[] = [],
  ) {
    return await world.eval(['--jsonl', '--out', world.out, ...words], {
      onStart: (child) =>
        child.stdout?.on(
          'data',
          onceEvents(type, count, () => act(child)),
        ),
    });
  }

  function ids(): string[] {
    return world.records().map(({ id }) => id);
  }

  it('ends cleanly at Ctrl-C, says so in the ledger, and goes on without asking anything again', async () => {
    const items = slowItems(40);
    world.use(items);
    const stopped = await until('item', 2, (child) => child.kill('SIGINT'));
    assert.equal(stopped.code, 130);
    const last = eventsOf(stopped.stdout).at(-1);
    assert.ok(last?.type === 'ended' && last.state === 'stopped');
    const before = world.lines();
    assert.equal(last.summary.done, before.length);
    assert.deepEqual(
      world.ledger().map(({ state }) => state),
      ['stopped'],
    );
    const { code } = await world.eval(['--out', world.out, '--resume']);
    assert.equal(code, 0);
    assert.deepEqual(world.lines().slice(0, before.length), before);
    assert.deepEqual(
      ids(),
      items.map(({ id }) => id),
    );
    assert.deepEqual(
      world.ledger().map(({ state, run_id }) => [state, run_id]),
      ['stopped', 'done'].map((state) => [state, world.runFile().run_id]),
    );
  });

  it('does not wait for the gold of the next item when it is stopped', async () => {
    const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';
    const items = countingItems(2).map((item, index) => (index === 1 ? { ...item, gold: endless } : item));
    world.use(items);
    const { code } = await until('item', 1, (child) => child.kill('SIGINT'), ['--timeout-ms', String(NEVER_MS)]);
    assert.equal(code, 130);
    assert.deepEqual(ids(), ['q0']);
  });

  it('does not record what was running when it was stopped, and leaves nothing running', async () => {
    world.use(stuckAt(2, 5));
    const stopped = await until('item', 2, (child) => child.kill('SIGTERM'));
    assert.equal(stopped.code, 130);
    assert.deepEqual(ids(), ['q0', 'q1']);
    assert.equal(existsSync(join(world.out, 'lock')), false);
  });

  it('goes on where it was killed, five times: nothing is lost, nothing is asked twice', async () => {
    const items = slowItems(60);
    world.use(items);
    let before: string[] = [];
    for (const done of [1, 2, 1, 3, 2]) {
      await until('item', done, (child) => child.kill('SIGKILL'), ['--resume', '--concurrency', '3']);
      const lines = world.lines();
      assert.deepEqual(lines.slice(0, before.length), before);
      assert.ok(lines.length >= before.length + done && lines.length < items.length);
      before = lines;
    }
    const { code } = await world.eval(['--out', world.out, '--resume']);
    assert.equal(code, 0);
    assert.deepEqual(world.lines().slice(0, before.length), before);
    assert.deepEqual(ids().toSorted(), items.map(({ id }) => id).toSorted());
    const [line] = world.ledger();
    assert.deepEqual([line?.state, line?.summary.done, line?.summary.outcomes.right], ['done', 60, 60]);
  });

  it('is found again without --out, by its configuration', async () => {
    world.use(slowItems(30));
    await world.eval(['--jsonl', '--concurrency', '1'], {
      onStart: (child) =>
        child.stdout?.on(
          'data',
          onceEvents('item', 2, () => child.kill('SIGKILL')),
        ),
    });
    await world.eval(['--limit', '1']);
    const { code, stdout } = await world.eval(['--resume', '--json']);
    assert.equal(code, 0);
    const { run_id, folder, summary } = JSON.parse(stdout);
    assert.deepEqual([summary.done, world.runFile(folder).run_id], [30, run_id]);
    const runs = readdirSync(world.results).filter((name) => !name.startsWith('ledger'));
    assert.equal(runs.length, 2);
    const another = await world.eval(['--resume', '--limit', '2']);
    assert.match(another.stderr, /There is no run to go on with; this one begins\./);
    assert.equal(another.code, 0);
  });

  it('is refused without --out, too, where only another configuration is unfinished', async () => {
    world.use(slowItems(30));
    await world.eval(['--jsonl'], {
      onStart: (child) =>
        child.stdout?.on(
          'data',
          onceEvents('item', 1, () => child.kill('SIGKILL')),
        ),
    });
    const { stdout } = await world.eval(['--resume', '--json', '--turns', '2']);
    const { code, message } = JSON.parse(stdout);
    assert.equal(code, 'run_configuration_differs');
    assert.match(message, /decoding\.turns was 4 and is 2\. Give the same options, or leave out --resume/);
    const repairing = await world.eval(['--resume', '--json', '--repair']);
    assert.match(JSON.parse(repairing.stdout).message, /decoding\.repair was false and is true\. Give/);
  });

  it('puts a torn last line aside and asks that item again', async () => {
    world.use(countingItems(3));
    await world.eval(['--out', world.out, '--limit', '3']);
    const [first = '', second = '', third = ''] = world.lines();
    writeFileSync(join(world.out, 'items.jsonl'), `${first}\n${second.slice(0, 100)}`);
    const { code, stderr } = await world.eval(['--out', world.out, '--resume']);
    assert.equal(code, 0);
    assert.match(
      stderr,
      /1 line of items\.jsonl, torn, twice there or of no item of the run, moved to items\.aside\.jsonl/,
    );
    assert.deepEqual([world.lines()[0], ids()], [first, ['q0', 'q1', 'q2']]);
    assert.equal(readFileSync(join(world.out, 'items.aside.jsonl'), 'utf8'), `${second.slice(0, 100)}\n`);
    appendFileSync(join(world.out, 'items.jsonl'), `${third}\n{"no": "record"}\n`);
    await world.eval(['--out', world.out, '--resume']);
    assert.deepEqual(ids(), ['q0', 'q1', 'q2']);
  });

  it('puts a record of an item that the run does not have aside, and asks the item that is missing', async () => {
    world.use(countingItems(3));
    await world.eval(['--out', world.out]);
    const path = join(world.out, 'items.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('"id":"q1"', '"id":"foreign"'));
    const { code, stdout, stderr } = await world.eval(['--out', world.out, '--resume', '--json']);
    assert.equal(code, 0, stderr);
    assert.deepEqual(ids(), ['q0', 'q2', 'q1']);
    assert.equal(JSON.parse(stdout).summary.done, 3);
    assert.match(readFileSync(join(world.out, 'items.aside.jsonl'), 'utf8'), /^\{"id":"foreign"/);
  });

  it('asks items without an answer again, unless told to keep them', async () => {
    let requests = 0;
    world.use(countingItems(2));
    const words = (address: string) => ['--base-url', address, '--model', 'm', '--out', world.out, '--retries', '0'];
    await withServer(
      (response) => {
        requests += 1;
        response.writeHead(400, { 'content-type': 'application/json' }).end('{"error": {"message": "busy"}}');
      },
      async (address) => {
        const dataset = join(world.folder.path, 'test.sql-tests.jsonl');
        const options = { cwd: world.folder.path, env: world.env };
        const run = (...more: string[]) =>
          sqlAgent(['eval', '--dataset', dataset, '--results', world.results, ...words(address), ...more], options);
        assert.equal((await run()).code, 0);
        assert.deepEqual(
          world.records().map(({ outcome }) => outcome),
          ['provider_error', 'provider_error'],
        );
        const asked = requests;
        const kept = await run('--resume', '--keep-errors');
        assert.match(kept.stderr, /is finished: nothing is left to ask/);
        assert.equal(requests, asked);
        const again = await run('--resume');
        assert.match(
          again.stderr,
          /2 lines of items without an answer moved to items\.aside\.jsonl; they are asked again/,
        );
        assert.equal(requests, 2 * asked);
        assert.deepEqual(ids().toSorted(), ['q0', 'q1']);
      },
    );
  });

  it('refuses to go on with another configuration, and names what differs', async () => {
    world.use(countingItems(3));
    await until('item', 1, (child) => child.kill('SIGKILL'));
    const before = readFileSync(join(world.out, 'items.jsonl'), 'utf8');
    const words = ['--resume', '--json', '--samples', '2', '--link', 'full'];
    const { code, stdout } = await world.eval(['--out', world.out, ...words]);
    const { code: name, message } = JSON.parse(stdout);
    assert.deepEqual([code, name], [1, 'run_configuration_differs']);
    assert.match(message, /decoding\.samples was 1 and is 2; prompt\.link was "auto" and is "full"/);
    assert.equal(readFileSync(join(world.out, 'items.jsonl'), 'utf8'), before);
    const taken = await world.eval(['--out', world.out, '--json']);
    assert.equal(JSON.parse(taken.stdout).code, 'run_folder_taken');
  });

  it('says of a finished run that it is finished, and changes nothing', async () => {
    world.use(countingItems(2));
    await world.eval(['--out', world.out]);
    const before = [world.lines(), world.ledger(), world.runFile()];
    const { code, stderr, stdout } = await world.eval(['--out', world.out, '--resume']);
    assert.equal(code, 0);
    assert.match(stderr, /is finished: nothing is left to ask/);
    assert.match(stdout, /official_ex {2}100\.0 %/);
    assert.deepEqual([world.lines(), world.ledger(), world.runFile()], before);
  });

  it('writes the ledger line of a run that was killed after its last item', async () => {
    world.use(countingItems(2));
    await world.eval(['--out', world.out]);
    writeFileSync(join(world.results, 'ledger.jsonl'), '');
    const { code } = await world.eval(['--out', world.out, '--resume']);
    assert.deepEqual([code, world.ledger().map(({ state, summary }) => [state, summary.done])], [0, [['done', 2]]]);
    assert.deepEqual(ids(), ['q0', 'q1']);
  });

  it('does not go on where the beginning of the run is damaged', async () => {
    world.use(countingItems(2));
    await world.eval(['--out', world.out]);
    writeFileSync(join(world.out, 'run.json'), '{"version": 1');
    const { code, stdout } = await world.eval(['--out', world.out, '--resume', '--json']);
    assert.deepEqual([code, JSON.parse(stdout).code], [1, 'run_damaged']);
    assert.deepEqual(ids(), ['q0', 'q1']);
  });

  it('says where its folder cannot be made', async () => {
    world.use(countingItems(2));
    const file = world.write('file', '');
    const { code, stdout } = await world.eval(['--out', join(file, 'run'), '--json']);
    assert.deepEqual([code, JSON.parse(stdout).code], [1, 'run_unwritable']);
    assert.match(
      JSON.parse(stdout).message,
      /file\/run cannot be written \(.*\)\. No item was finished\. Make it writable/,
    );
  });

  it('lets one process work on a run at a time', async () => {
    world.use(stuckAt(1, 3));
    let second: Promise<{ stdout: string }> | undefined;
    await until('item', 1, (child) => {
      second = world.eval(['--out', world.out, '--resume', '--json']).finally(() => child.kill('SIGKILL'));
    });
    assert.equal(JSON.parse((await second)?.stdout ?? '{}').code, 'run_busy');
    assert.deepEqual(ids(), ['q0']);
  });

  it('stops when its parent closes the pipe to it', async () => {
    world.use(stuckAt(1, 3));
    const child = spawn(
      process.execPath,
      [join(projectRoot, 'src/cli/main.ts'), ...world.words('--jsonl', '--out', world.out)],
      { cwd: world.folder.path, env: { ...process.env, ...world.env }, stdio: ['pipe', 'pipe', 'inherit'] },
    );
    child.stdout.setEncoding('utf8').on(
      'data',
      onceEvents('item', 1, () => child.stdin.end()),
    );
    const code = await new Promise((resolve) => child.once('close', resolve));
    assert.equal(code, 130);
    assert.deepEqual([ids(), world.ledger()[0]?.state], [['q0'], 'stopped']);
  });

  it('stops as at Ctrl-C when the reader of its events goes away, such as head', async () => {
    world.use(slowItems(200));
    let stderr = '';
    const child = spawn(
      process.execPath,
      [join(projectRoot, 'src/cli/main.ts'), ...world.words('--jsonl', '--out', world.out)],
      { cwd: world.folder.path, env: { ...process.env, ...world.env, TMPDIR: world.folder.path } },
    );
    child.stderr.on('data', (text) => {
      stderr += String(text);
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const [code] = await once(child, 'close');
    assert.equal(code, 130, stderr);
    assert.equal(existsSync(join(world.out, 'lock')), false);
    assert.equal(world.ledger().at(-1)?.state, 'stopped');
    assert.deepEqual(
      readdirSync(world.folder.path).filter((name) => name.startsWith('sql-agent-')),
      [],
    );
  });

  it('goes on to its end where its progress cannot be told', async () => {
    world.use(slowItems(20));
    const child = spawn(process.execPath, [join(projectRoot, 'src/cli/main.ts'), ...world.words('--json')], {
      cwd: world.folder.path,
      env: { ...process.env, ...world.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    child.stdout.on('data', (text) => {
      stdout += String(text);
    });
    child.stderr.once('data', () => child.stderr.destroy());
    const [code] = await once(child, 'close');
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).summary.done, 20);
  });

  it('stops early where the model cannot be asked at all, and keeps what was finished', async () => {
    const [first, second, third] = countingItems(3);
    assert.ok(first && second && third);
    const { reply: _, ...silent } = third;
    world.use([first, second, silent]);
    const { code, stdout } = await world.eval(['--out', world.out, '--json', '--concurrency', '1']);
    const error = JSON.parse(stdout);
    assert.deepEqual([code, error.code], [1, 'eval_provider_unusable']);
    assert.match(error.message, /2 finished items are kept\. When that is mended, go on with --resume\./);
    assert.deepEqual([ids(), world.ledger()[0]?.state], [['q0', 'q1'], 'stopped']);
  });

  it('stops early where 20 items in a row get no answer', async () => {
    const reply = { text: '', error: { code: 'provider_server_failed', message: 'The server failed.' } };
    world.use(countingItems(30).map((item, at) => (at > 2 ? { ...item, reply } : item)));
    const { code, stdout } = await world.eval(['--out', world.out, '--json']);
    const error = JSON.parse(stdout);
    assert.deepEqual([code, error.code], [1, 'eval_provider_failing']);
    assert.match(error.message, /no answer to 20 items in a row\. The server failed\. 23 finished items are kept/);
    assert.equal(world.lines().length, 23);
  });

  it('says that the disk is full, keeps what was finished whole, and goes on when there is room', async function () {
    if (process.platform === 'win32') this.skip();
    world.use(countingItems(30));
    // A warm start, so that what the program keeps for itself is small.
    await world.eval(['--limit', '1']);
    const main = join(projectRoot, 'src/cli/main.ts');
    const words = world.words('--out', world.out, '--json').map((word) => `'${word}'`);
    const script = `trap '' XFSZ; ulimit -f 16; exec '${process.execPath}' '${main}' ${words.join(' ')}`;
    const child = spawn('bash', ['-c', script], {
      cwd: world.folder.path,
      env: { ...process.env, ...world.env, NODE_DISABLE_COMPILE_CACHE: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    const error = JSON.parse(stdout);
    assert.deepEqual([code, error.code], [1, 'disk_full']);
    assert.match(error.message, /The disk of .*run is full\. \d+ finished items are kept\. Free some space/);
    const kept = world.lines();
    assert.ok(kept.length > 3 && kept.length < 30);
    assert.ok(readFileSync(join(world.out, 'items.jsonl'), 'utf8').endsWith('\n'));
    assert.equal((await world.eval(['--out', world.out, '--resume'])).code, 0);
    assert.deepEqual(world.lines().slice(0, kept.length), kept);
    assert.equal(new Set(ids()).size, 30);
    assert.equal(existsSync(join(world.out, 'lock')), false);
  });
});
