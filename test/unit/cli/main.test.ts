import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { harmless } from '../../../src/core/text/harmless.ts';
import { projectRoot, sqlAgent } from '../../support/cli.ts';

describe('sql-agent', () => {
  it('lists its verbs and exits 2 without a verb', async () => {
    const { code, stdout } = await sqlAgent([]);
    assert.equal(code, 2);
    assert.match(stdout, /Usage: sql-agent <verb>/);
  });

  it('lists its verbs and exits 0 when asked for help', async () => {
    const { code, stdout } = await sqlAgent(['--help']);
    assert.equal(code, 0);
    assert.match(stdout, /\n {2}run /);
  });

  it('says its version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    assert.deepEqual((await sqlAgent(['--version'])).stdout, `${version}\n`);
    assert.deepEqual(JSON.parse((await sqlAgent(['--version', '--json'])).stdout), { status: 'ok', version });
  });

  it('names an unknown verb and exits 2', async () => {
    const { code, stderr, stdout } = await sqlAgent(['frobnicate']);
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.match(stderr, /no verb "frobnicate"/);
  });

  it('prints one JSON object for wrong usage with --json', async () => {
    const { code, stdout } = await sqlAgent(['frobnicate', '--json']);
    assert.equal(code, 2);
    const answer = JSON.parse(stdout);
    assert.equal(answer.status, 'usage');
    assert.equal(answer.code, 'usage');
    assert.equal(typeof answer.message, 'string');
  });

  it('refuses an option that the verb does not have and says where to look', async () => {
    const { code, stderr } = await sqlAgent(['run', 'x.sqlite', 'select 1', '--frob']);
    assert.equal(code, 2);
    assert.match(stderr, /--frob.*sql-agent run --help/);
  });

  it('does not take a verb from the prototype of an object', async () => {
    assert.equal((await sqlAgent(['constructor'])).code, 2);
  });

  it('explains every verb with --help', async () => {
    const { stdout } = await sqlAgent(['--help']);
    const names = [...stdout.matchAll(/\n {2}([a-z]+) /g)].map((match) => match[1] ?? '');
    assert.ok(names.length > 0);
    for (const name of names) {
      const help = await sqlAgent([name, '--help']);
      assert.equal(help.code, 0, name);
      assert.match(help.stdout, new RegExp(`Usage: sql-agent ${name}`));
    }
  });

  it('takes a statement that begins with two dashes as SQL, not as an option', async () => {
    const { code, stdout } = await sqlAgent(['run', 'media/chinook.sqlite', '-- only a comment', '--json']);
    assert.equal(code, 1);
    assert.equal(JSON.parse(stdout).status, 'rejected');
  });

  it('prints its help as one JSON object, too', async () => {
    for (const words of [['--help'], ['run', '--help']]) {
      const { code, stdout } = await sqlAgent([...words, '--json']);
      const { status, help } = JSON.parse(stdout);
      assert.deepEqual([code, status], [0, 'ok'], words.join(' '));
      assert.match(help, /Usage: sql-agent/);
    }
  });

  it('takes whole numbers as digits alone', async () => {
    for (const number of ['', ' 5 ', '1e3', '0x10', '1.0', '-1']) {
      const { code, stdout } = await sqlAgent(['run', 'x.sqlite', 'SELECT 1', `--max-rows=${number}`, '--json']);
      assert.equal(code, 2, number);
      assert.match(JSON.parse(stdout).message, /takes a whole number/);
    }
  });

  it('says which option lacks its value, in one line', async () => {
    const { code, stdout } = await sqlAgent(['run', 'x.sqlite', 'SELECT 1', '--timeout-ms', '--json']);
    assert.equal(code, 2);
    assert.match(JSON.parse(stdout).message, /^[^\n]*'--timeout-ms'[^\n]* "sql-agent run --help" lists the options\.$/);
  });

  it('takes an empty name for what it is, and not for the folder it runs in', async () => {
    const calls = [
      ['run', '', 'SELECT 1'],
      ['ask', '', 'How many?'],
      ['ask', 'x.sqlite', 'How many?', '--script', ''],
      ['ask', 'x.sqlite', 'How many?', '--transcript', ''],
      ['schema', ''],
      ['link', '', 'How many?'],
      ['link', '--ddl', '', 'How many?'],
      ['model', 'pull', 'coder', '--from', ''],
    ];
    for (const words of calls) {
      const { code, stdout } = await sqlAgent([...words, '--json']);
      assert.equal(code, 2, words.join(' '));
      assert.match(JSON.parse(stdout).message, /is empty\. Name a file\./);
    }
  });

  it('says so where its folder is there no more', async function () {
    if (process.platform === 'win32') this.skip();
    const words = '"$0" "$1" run x.sqlite "SELECT 1" --json';
    const script = `folder=$(mktemp -d) && cd "$folder" && rmdir "$folder" && ${words}`;
    const call = [process.execPath, join(projectRoot, 'src/cli/main.ts')];
    const { status, stdout } = spawnSync('sh', ['-c', script, ...call], { encoding: 'utf8' });
    assert.equal(status, 1);
    assert.equal(JSON.parse(stdout).code, 'working_folder');
  });

  it('lets no name steer the terminal', async () => {
    const { stderr } = await sqlAgent(['run', 'red\u001b[31m\u202e.sqlite', 'SELECT 1']);
    assert.match(stderr, /red\uFFFD\[31m\uFFFD\.sqlite/);
  });
});

describe('text of others on the terminal', () => {
  it('keeps line feeds, tabs and, where there is colour, our own styles', () => {
    assert.equal(harmless('\u001b[1mSQL\u001b[0m\r\n\tx', true), '\u001b[1mSQL\u001b[0m\r\n\tx');
    assert.equal(harmless('\u001b[1mSQL', false), '\uFFFDSQL');
  });

  it('replaces what would steer the terminal or turn the text around', () => {
    for (const text of [
      '\u001b]0;title\u0007',
      'over\rwritten',
      '\u009b31m',
      '\u202eevil',
      '\u001b[31m',
      '\u001b[8m',
      '\b',
    ])
      assert.doesNotMatch(harmless(text, true), /[\p{Cc}\u202a-\u202e]/u, JSON.stringify(text));
  });
});
