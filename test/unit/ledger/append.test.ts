import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ledger } from '../../../src/runtime/store/ledger.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { evalEntry } from './support/entry.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('Ledger.append', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  it('makes the folder and writes lines that each carry the SHA-256 of the line before', async () => {
    const ledger = new Ledger(join(folder.path, 'new/results'), null, { now: () => new Date(0) });
    const first = await ledger.append(evalEntry('one'));
    const second = await ledger.append(evalEntry('two'));
    const lines = readFileSync(ledger.path, 'utf8').split('\n');
    assert.equal(lines.length, 3);
    assert.equal(lines[2], '');
    assert.equal(first.prev, null);
    assert.equal(second.prev, sha256(lines[0] ?? ''));
    assert.deepEqual(JSON.parse(lines[1] ?? ''), second);
    assert.equal(second.time, '1970-01-01T00:00:00.000Z');
    assert.deepEqual(readdirSync(ledger.folder).sort(), ['ledger.jsonl', 'ledger.jsonl.lock']);
    assert.deepEqual(await ledger.read(), { lines: [first, second], problems: [] });
  });

  it('keeps paths of the machine and secrets out of the line', async () => {
    const ledger = new Ledger(join(folder.path, 'portable'));
    const inside = join(process.cwd(), 'data', 'dev.json');
    const command = ['sql-agent', 'eval', '--dataset', inside, '--db-root=/srv/bird/databases', '--api-key', 'sk-1'];
    const output = { path: join(ledger.folder, 'one', 'items.jsonl'), sha256: sha256(''), bytes: 0 };
    const line = await ledger.append(evalEntry('one', { command, output }));
    assert.deepEqual(line.command.slice(2), [
      '--dataset',
      'data/dev.json',
      '--db-root=…/databases',
      '--api-key',
      '***',
    ]);
    assert.equal(line.kind === 'eval' && line.output.path, 'one/items.jsonl');
    assert.doesNotMatch(readFileSync(ledger.path, 'utf8'), new RegExp(`/srv/|sk-1|${folder.path}`));
  });
});
