import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { sqlAgent } from '../../support/cli.ts';

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
});
