import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { Ledger } from '../../../src/runtime/store/ledger.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { evalEntry } from './support/entry.ts';
import { startWriter } from './support/start-writer.ts';

/** Problems of chain and form; the runs of these tests have no output files. */
async function brokenLines(ledger: Ledger): Promise<string[]> {
  const { problems } = await ledger.verify();
  return problems.filter(({ code }) => code !== 'output').map(({ message }) => message);
}

async function idsOf(ledger: Ledger): Promise<string[]> {
  const runs = await ledger.runs();
  return runs.map(({ run_id }) => run_id);
}

describe('a ledger that several write', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  it('loses nothing and keeps its chain where four processes append at once', async () => {
    const ledger = new Ledger(join(folder.path, 'four'));
    const writers = ['a', 'b', 'c', 'd'].map((prefix) => startWriter(ledger.folder, prefix, 50));
    const printed = (await Promise.all(writers.map(({ ended }) => ended))).flat();
    assert.equal(printed.length, 200);
    assert.deepEqual((await idsOf(ledger)).sort(), printed.sort());
    assert.deepEqual(await brokenLines(ledger), []);
  });

  it('loses nothing where several of one process append at once', async () => {
    const path = join(folder.path, 'one-process');
    const ledgers = [new Ledger(path), new Ledger(path)];
    const ids = Array.from({ length: 40 }, (_, index) => `run-${index}`);
    await Promise.all(ids.map((id, index) => ledgers[index % 2]?.append(evalEntry(id))));
    const ledger = new Ledger(path);
    assert.deepEqual((await idsOf(ledger)).sort(), ids.sort());
    assert.deepEqual(await brokenLines(ledger), []);
  });

  it('keeps every finished append where the writer is killed at any moment, and locks nobody out', async () => {
    const ledger = new Ledger(join(folder.path, 'killed'));
    const finished: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      const lines = 1 + ((round * 7) % 10);
      const writer = startWriter(ledger.folder, `round${round}`, 100_000, {
        onLine: async (line) => {
          finished.push(line);
          if (line !== `round${round}-${lines}`) return;
          // So many turns of the loop later the writer is somewhere else in its work.
          for (let turns = 0; turns < round * 13; turns += 1) await turn();
          writer.child.kill('SIGKILL');
        },
      });
      await writer.ended;
    }
    const notes: string[] = [];
    await new Ledger(ledger.folder, null, { onNote: (note) => notes.push(note) }).append(evalEntry('last'));
    assert.deepEqual(await brokenLines(ledger), []);
    const ids = new Set(await idsOf(ledger));
    assert.deepEqual(
      finished.filter((line) => !line.startsWith('note ') && !ids.has(line)),
      [],
    );
    assert.ok(finished.length >= 20 && ids.has('last'));
  });
});
