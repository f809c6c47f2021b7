import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlAgent } from '../../support/cli.ts';

describe('sql-agent doctor', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sql-agent-doctor-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('finds nothing broken here, and says what each part is', async () => {
    const { code, stdout } = await sqlAgent(['doctor', '--json'], { env: { SQL_AGENT_HOME: join(folder, 'home') } });
    const answer = JSON.parse(stdout);
    assert.equal(answer.status, 'ok', stdout);
    assert.equal(code, 0);
    assert.match(answer.versions.sqlite, /^3\.\d+/);
    assert.match(answer.versions.llama, /^3\./);
    assert.equal(answer.folders.writable, true);
    assert.deepEqual(
      answer.models.map((model: { name: string }) => model.name),
      ['small', 'coder'],
    );
    assert.deepEqual(
      readdirSync(join(folder, 'home')).filter((name) => name.startsWith('.doctor')),
      [],
    );
  });

  it('says what to do where the storage folder cannot be made, and exits 1', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const { code, stdout } = await sqlAgent(['doctor'], { env: { SQL_AGENT_HOME: join(file, 'home') } });
    assert.equal(code, 1);
    assert.match(stdout, /broken {2}storage .*SQL_AGENT_HOME/);
    assert.match(stdout, /ok {6}sandbox/);
  });

  it('takes no arguments', async () => {
    assert.equal((await sqlAgent(['doctor', 'x'])).code, 2);
  });
});
