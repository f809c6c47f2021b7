import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StateFiles } from '../../../src/runtime/model/state-files.ts';

describe('saved states', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sql-agent-states-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const save = (text: string) => async (path: string) => writeFileSync(path, text);

  it('are found again by their key', async () => {
    const states = new StateFiles(folder, 1000);
    await states.keep('a', save('state a'));
    const path = await states.find('a');
    assert.equal(readFileSync(path ?? '', 'utf8'), 'state a');
    assert.equal(await states.find('b'), null);
  });

  it('have another key for other weights, another engine and other tokens', () => {
    const keys = [
      StateFiles.key('w', 'e', [1, 2]),
      StateFiles.key('w2', 'e', [1, 2]),
      StateFiles.key('w', 'e2', [1, 2]),
      StateFiles.key('w', 'e', [1, 3]),
      StateFiles.key('w', 'e', [1, 2, 3]),
    ];
    assert.equal(new Set(keys).size, keys.length);
    assert.equal(StateFiles.key('w', 'e', [1, 2]), keys[0]);
  });

  it('are not given out, and removed, where one byte changed', async () => {
    const states = new StateFiles(folder, 1000);
    await states.keep('a', save('state a'));
    writeFileSync(join(folder, 'a.state'), 'state b');
    assert.equal(await states.find('a'), null);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('are removed beyond the cap, the least recently used first', async () => {
    const states = new StateFiles(folder, 25);
    await states.keep('a', save('0123456789'));
    await states.keep('b', save('0123456789'));
    utimesSync(join(folder, 'a.state'), 1000, 1000);
    utimesSync(join(folder, 'b.state'), 2000, 2000);
    // Being found is a use.
    await states.find('a');
    await states.keep('c', save('0123456789'));
    assert.deepEqual(
      readdirSync(folder)
        .filter((name) => name.endsWith('.state'))
        .sort(),
      ['a.state', 'c.state'],
    );
  });

  it('are rid of what a killed process left half-written', async () => {
    const states = new StateFiles(folder, 1000);
    writeFileSync(join(folder, 'a.state.999999999'), 'half');
    writeFileSync(join(folder, `b.state.${process.pid}`), 'being written');
    await states.keep('c', save('state c'));
    assert.deepEqual(readdirSync(folder).sort(), [`b.state.${process.pid}`, 'c.state', 'c.state.sha256']);
  });

  it('cost nothing but themselves where they cannot be written', async () => {
    const file = join(folder, 'a file');
    writeFileSync(file, '');
    const states = new StateFiles(join(file, 'states'), 1000);
    await states.keep('a', save('state a'));
    assert.equal(await states.find('a'), null);
  });

  it('leave nothing half-written where saving fails', async () => {
    const states = new StateFiles(folder, 1000);
    await states.keep('a', async (path) => {
      writeFileSync(path, 'half');
      throw new Error('the engine failed');
    });
    assert.deepEqual(readdirSync(folder), []);
  });
});
