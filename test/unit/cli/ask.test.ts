import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { localModelOf } from '../../../src/cli/ask-provider.ts';
import { type Output, UsageError } from '../../../src/cli/verb.ts';
import { verb } from '../../../src/cli/verbs/ask.ts';
import { AskResult } from '../../../src/protocol/ask.ts';
import { readModelEntry } from '../../../src/runtime/model/manifest.ts';
import type { Script } from '../../../src/runtime/model/scripted-provider.ts';
import { emptyAdapter } from '../../support/adapter.ts';
import { type CliOptions, sqlAgent } from '../../support/cli.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { stream, withServer } from '../providers/loopback.ts';

describe('sql-agent ask', () => {
  let folder: TemporaryFolder;
  let db: string;

  before(() => {
    folder = temporaryFolder();
    db = folder.database(
      'shop.sqlite',
      `CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL);
      INSERT INTO item VALUES (1, 'tea', 2.5), (2, 'tea', 2.5), (3, NULL, 9007199254740993);`,
    );
  });

  after(() => folder.remove());

  function run(words: string[], env: Record<string, string> = {}, onStart?: CliOptions['onStart']) {
    const options = { env: { SQL_AGENT_HOME: join(folder.path, 'home'), ...env } };
    return sqlAgent(['ask', ...words], onStart ? { ...options, onStart } : options);
  }

  function scriptFile(script: Script): string {
    const path = join(folder.path, 'script.json');
    writeFileSync(path, JSON.stringify(script));
    return path;
  }

  function oneShot(...replies: Script['replies']): string[] {
    return ['--script', scriptFile({ protocol: 'one_shot', name: 'demo', replies })];
  }

  it('prints one JSON object with everything about the answer', async () => {
    const { code, stdout } = await run([
      db,
      'How many items are there?',
      '--json',
      ...oneShot('SELECT count(*) AS n FROM item'),
    ]);
    assert.equal(code, 0);
    const result = AskResult.parse(JSON.parse(stdout));
    const { sql, status, columns, rows, truncated, protocol, linked, signals, model, stop } = result;
    assert.deepEqual(
      { sql, status, columns, rows, truncated, protocol, stop },
      {
        sql: 'SELECT count(*) AS n FROM item',
        status: 'ok',
        columns: ['n'],
        rows: [[3]],
        truncated: false,
        protocol: 'one_shot',
        stop: 'final',
      },
    );
    assert.deepEqual([linked.kept, linked.left, model.name], [['item'], [], 'demo']);
    assert.deepEqual([signals.duplicates, signals.agrees, signals.actual?.rows], [null, true, 1]);
    assert.equal(stdout.trimEnd().split('\n').length, 1);
  });

  it('shows turns, SQL, rows and both signals to people', async () => {
    const { code, stdout } = await run([db, 'How many items are there?', ...oneShot('SELECT name, price FROM item')]);
    assert.equal(code, 0);
    assert.match(stdout, /Turn 1\n {2}SELECT name, price FROM item\n {2}→ query: 3 rows \(turn took /);
    assert.match(stdout, /SQL\n {2}SELECT name, price FROM item\n/);
    assert.match(stdout, /tea +2\.5\n/);
    assert.match(
      stdout,
      /Expected shape: one row with one column \(a whole number\) \(by a rule over the question\)\. The question asks for one row; there are 3\./,
    );
    assert.match(stdout, /Duplicated rows: 1 of 3 rows is equal to an earlier row/);
    assert.match(stdout, /Model: demo\.[\s\S]*Time: /);
  });

  it('shows what the model of a turns provider does and is told', async () => {
    const path = scriptFile({
      protocol: 'turns',
      replies: [
        '{"action": "inspect", "table": "item"}',
        '{"action": "query", "sql": "SELECT nam FROM item"}',
        '{"action": "final", "sql": "SELECT name FROM item"}',
      ],
    });
    const { stdout } = await run([db, 'Which items?', '--script', path, '--turns', '3']);
    assert.match(stdout, /→ inspect: looks at item\n {2}CREATE TABLE item/);
    assert.match(stdout, /→ query: error: no such column: nam\n[\s\S]*Did you mean item\.name\?[\s\S]*last turn/);
    assert.match(stdout, /→ final: 3 rows/);
  });

  it('compares with the correct query', async () => {
    const gold = async (sql: string, reply: string) => {
      const { stdout } = await run([db, 'Names?', '--json', '--gold', sql, ...oneShot(reply, reply, reply, reply)]);
      return JSON.parse(stdout).gold;
    };
    assert.deepEqual(
      await gold('SELECT price, name FROM item ORDER BY id', 'SELECT name, price FROM item ORDER BY id DESC'),
      { status: 'ok', code: null, message: null, equal: true },
    );
    assert.equal((await gold('SELECT DISTINCT name FROM item', 'SELECT name FROM item')).equal, false);
    assert.deepEqual(
      [(await gold('SELECT nope', 'SELECT 1')).equal, (await gold('SELECT nope', 'SELECT 1')).status],
      [null, 'error'],
    );
    assert.equal((await gold('SELECT 1', 'SELECT nope')).equal, false);
  });

  it('fails with exit code 1 and a JSON object where the query fails or there is no database', async () => {
    const failed = await run([db, 'Names?', '--json', ...oneShot(...Array<string>(4).fill('SELECT nope'))]);
    assert.deepEqual(
      [failed.code, JSON.parse(failed.stdout).status, JSON.parse(failed.stdout).code],
      [1, 'error', 'SQLITE_ERROR'],
    );
    const missing = await run([join(folder.path, 'none.sqlite'), 'Names?', '--json', ...oneShot('SELECT 1')]);
    assert.equal(missing.code, 1);
    assert.match(JSON.parse(missing.stdout).message, /none\.sqlite/);
  });

  it('asks a server with the key of the environment, which shows up nowhere', async () => {
    await withServer(
      (response) => stream(response, '{"action": "final", ', '"sql": "SELECT 1"}'),
      async (address, server) => {
        const words = [db, 'One?', '--base-url', address, '--model', 'tiny', '--json'];
        const { code, stdout, stderr } = await run(words, { OPENAI_API_KEY: 'sk-secret' });
        assert.equal(code, 0);
        assert.deepEqual(JSON.parse(stdout).rows, [[1]]);
        assert.equal(server.got[0]?.headers.authorization, 'Bearer sk-secret');
        assert.doesNotMatch(stdout + stderr, /sk-secret/);
      },
    );
  });

  it('is cancelled by Ctrl-C with exit code 130, and shows what it had', async () => {
    const path = scriptFile({
      protocol: 'one_shot',
      replies: [{ text: 'SELECT count(*) FROM item', tokenDelayMs: 600_000 }],
    });
    const { code, stdout } = await run([db, 'How many?', '--script', path], {}, (child) => {
      child.stdout?.on('data', (text) => {
        if (String(text).includes('SELECT')) child.kill('SIGINT');
      });
    });
    assert.equal(code, 130);
    assert.match(stdout, /cancelled/);
  });

  for (const [what, words, message] of [
    ['no question', ['x.sqlite'], /takes a database and one question/],
    ['an empty question', ['x.sqlite', '  '], /question is empty/],
    ['too many words', ['x.sqlite', 'How', 'many'], /one question/],
    ['an unknown provider', ['x', 'q', '--provider', 'magic'], /local, openai, scripted/],
    ['an unknown local model', ['x', 'q', '--model', 'gpt'], /small, coder/],
    ['a server without an address', ['x', 'q', '--provider', 'openai', '--model', 'm'], /--base-url/],
    ['a server without a model', ['x', 'q', '--base-url', 'http://localhost:1'], /--model NAME/],
    ['a script that is not named', ['x', 'q', '--provider', 'scripted'], /--script FILE/],
    ['samples that are none', ['x', 'q', '--samples', '0'], /--samples takes a whole number from 1 to 64/],
    ['half of a previous question', ['x', 'q', '--previous', 'p'], /--previous-sql/],
    ['an error that is shown and is not', ['x', 'q', '--repair', '--no-repair'], /exclude each other/],
    ['an error shown at no retry', ['x', 'q', '--repair', '--retries', '0'], /with --retries 0 there is none/],
    ['an error shown to a vote', ['x', 'q', '--repair', '--samples', '3'], /samples that vote/],
  ] as const)
    it(`refuses ${what} as wrong usage`, async () => {
      const out: Output = { jsonMode: true, colour: false, width: 80, line() {}, write() {}, log() {}, json() {} };
      const context = {
        out,
        env: { SQL_AGENT_HOME: folder.path },
        cwd: folder.path,
        signal: new AbortController().signal,
      };
      const args = parseArgs({ args: [...words], options: verb.options, allowPositionals: true });
      const isUsage = (error: unknown) => error instanceof UsageError && message.test(error.message);
      await assert.rejects(verb.run(context, args), isUsage);
    });

  it('says what is wrong with an adapter', async () => {
    for (const [adapter, message] of [
      ['absent.gguf', /absent\.gguf is not there\. Give an adapter as a GGUF file/],
      ['.', /is no file\. Give an adapter as a GGUF file.*"sql-agent-trainer export" writes one/],
    ] as const) {
      const { code, stderr } = await run([db, 'q', '--model', 'small', '--adapter', adapter]);
      assert.equal(code, 1);
      assert.match(stderr, message);
    }
    const { code, stderr } = await run([db, 'q', '--adapter', 'some.gguf']);
    assert.equal(code, 2);
    assert.match(stderr, /Name it: --model small or --model coder/);
  });

  it('takes no adapter of another model, and says of which it is and what to do', async () => {
    const at = (name: string) => join(folder.path, `${name}.gguf`);
    await emptyAdapter(at('mine'), { name: 'any', sha256: readModelEntry('coder').base.sha256 });
    await emptyAdapter(at('foreign'), { name: 'Qwen3-1.7B', sha256: 'a'.repeat(64) });
    for (const [name, message] of [
      ['mine', /mine\.gguf was trained for \\"coder\\", and the model asked for is \\"small\\"\. .* --model coder/],
      ['foreign', /foreign\.gguf was trained for Qwen3-1\.7B, which is neither .*sql-agent-trainer export/],
    ] as const) {
      const { code, stderr, stdout } = await run([db, 'q', '--model', 'small', '--adapter', at(name), '--json']);
      assert.equal(code, 1);
      assert.match(stderr + stdout, message);
      assert.match(stderr + stdout, /adapter_other_base/);
    }
  });

  it('takes an adapter of its model, and one that does not say what it was trained for', async () => {
    const args = { values: { model: 'small', adapter: 'fits.gguf' }, positionals: [] };
    const { signal } = new AbortController();
    const out: Output = { jsonMode: true, colour: false, width: 80, line() {}, write() {}, log() {}, json() {} };
    const context = { out, env: {}, cwd: folder.path, signal };
    const adapter = join(folder.path, 'fits.gguf');
    const { sha256 } = readModelEntry('small').base;
    for (const base of [{ name: 'any', sha256 }, { name: 'any', sha256, repairs: true }, null]) {
      await emptyAdapter(adapter, base);
      const repairs = base?.repairs === true;
      assert.deepEqual(await localModelOf(context, args, folder.path), { name: 'small', adapter, repairs });
    }
  });

  it('says what is wrong with a script', async () => {
    const path = join(folder.path, 'script.json');
    writeFileSync(path, '{"replies": 3}');
    const { code, stderr } = await run([db, 'q', '--script', path]);
    assert.equal(code, 1);
    assert.match(stderr, /The script .*script\.json cannot be used/);
  });
});
