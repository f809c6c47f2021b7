import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ledger } from '../../../src/runtime/store/ledger.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { evalEntry } from './support/entry.ts';

describe('the torn last line of a ledger', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());
  let count = 0;

  /** A ledger of two runs, and what its repairs say. */
  async function ledgerOfTwo(): Promise<{ ledger: Ledger; notes: string[]; text: string }> {
    const notes: string[] = [];
    const ledger = new Ledger(join(folder.path, `ledger${count++}`), null, {
      onNote: (note) => notes.push(note),
      now: () => new Date('2026-11-29T21:30:05.123Z'),
    });
    await ledger.append(evalEntry('one'));
    await ledger.append(evalEntry('two'));
    return { ledger, notes, text: readFileSync(ledger.path, 'utf8') };
  }

  async function checked(ledger: Ledger): Promise<{ ids: string[]; codes: string[] }> {
    const runs = await ledger.runs();
    const { problems } = await ledger.verify();
    const codes = problems.map(({ code }) => code).filter((code) => code !== 'output');
    return { ids: runs.map(({ run_id }) => run_id), codes };
  }

  for (const [what, tail] of [
    ['the beginning of a line', '{"v":1,"time":"2026-11-29T21:3'],
    ['a single brace', '{'],
    ['zeros that a loss of power left', '\0'.repeat(512)],
    ['text that is not JSON, with a line feed', '{"v":1,"ti\n'],
    ['a JSON value that is no object', '123'],
    ['half a character', Buffer.from([0x7b, 0x22, 0xc3])],
    ['more than one read of the end', `{"v":1,"x":"${'x'.repeat(300_000)}`],
  ] as const)
    it(`is moved to a file beside it by the next append: ${what}`, async () => {
      const { ledger, notes, text } = await ledgerOfTwo();
      appendFileSync(ledger.path, tail);
      const torn = (await checked(ledger)).codes;
      assert.deepEqual(torn, [tail.at(-1) === '\n' ? 'form' : 'torn']);
      await ledger.append(evalEntry('three'));
      assert.deepEqual(await checked(ledger), { ids: ['three', 'two', 'one'], codes: [] });
      assert.ok(readFileSync(ledger.path, 'utf8').startsWith(text));
      const aside = readdirSync(ledger.folder).filter((name) => name.includes('torn'));
      assert.deepEqual(aside, ['ledger.jsonl.torn-20261129T213005123Z']);
      assert.deepEqual(readFileSync(join(ledger.folder, aside[0] ?? '')), Buffer.from(tail));
      assert.equal(notes.length, 1);
      assert.match(
        notes[0] ?? '',
        /was torn; its \d+ bytes are now in ledger\.jsonl\.torn-20261129T213005123Z beside it/,
      );
      assert.match((await ledger.verify()).notes.join(), /A torn line was moved to ledger\.jsonl\.torn-/);
    });

  it('only gets its line feed where it is whole', async () => {
    const { ledger, notes, text } = await ledgerOfTwo();
    writeFileSync(ledger.path, text.slice(0, -1));
    assert.deepEqual(await checked(ledger), { ids: ['two', 'one'], codes: [] });
    await ledger.append(evalEntry('three'));
    assert.deepEqual(await checked(ledger), { ids: ['three', 'two', 'one'], codes: [] });
    assert.ok(readFileSync(ledger.path, 'utf8').startsWith(text));
    assert.match(notes.join(), /lacked its line feed, which was added/);
    assert.deepEqual(readdirSync(ledger.folder).sort(), ['ledger.jsonl', 'ledger.jsonl.lock']);
  });

  it('is moved where it is whole and follows another line than the one before', async () => {
    const { ledger, text } = await ledgerOfTwo();
    const [first = ''] = text.split('\n');
    writeFileSync(ledger.path, `${text}${first}`);
    await ledger.append(evalEntry('three'));
    assert.deepEqual(await checked(ledger), { ids: ['three', 'two', 'one'], codes: [] });
    assert.equal(readFileSync(join(ledger.folder, 'ledger.jsonl.torn-20261129T213005123Z'), 'utf8'), first);
  });

  it('may be the only line', async () => {
    const { ledger } = await ledgerOfTwo();
    writeFileSync(ledger.path, '{"v":1,');
    await ledger.append(evalEntry('three'));
    assert.deepEqual(await checked(ledger), { ids: ['three'], codes: [] });
  });

  it('loses nothing of an earlier repair within the same millisecond', async () => {
    const { ledger } = await ledgerOfTwo();
    for (const tail of ['{"a', '{"b']) {
      appendFileSync(ledger.path, tail);
      await ledger.append(evalEntry(tail));
    }
    const kept = readdirSync(ledger.folder).filter((name) => name.includes('torn'));
    assert.deepEqual(
      kept.sort().map((name) => readFileSync(join(ledger.folder, name), 'utf8')),
      ['{"a', '{"b'],
    );
  });
});
