import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Ledger } from '../../../src/runtime/store/ledger.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { evalEntry } from './support/entry.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('Ledger.verify', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());
  let count = 0;

  async function appendRun(ledger: Ledger, id: string, items: string, state: 'done' | 'stopped' = 'done') {
    const path = join(ledger.folder, id, 'items.jsonl');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, items);
    await ledger.append(evalEntry(id, { state, output: { path, sha256: sha256(items), bytes: items.length } }));
  }

  /** A ledger of four runs with their outputs, and its lines with line feeds. */
  async function ledgerOfFour(): Promise<{ ledger: Ledger; lines: string[] }> {
    const ledger = new Ledger(join(folder.path, `ledger${count++}`));
    for (const id of ['one', 'two', 'three', 'four']) await appendRun(ledger, id, `{"id":"${id}"}\n`);
    return { ledger, lines: readFileSync(ledger.path, 'utf8').match(/.*\n/g) ?? [] };
  }

  async function messages(ledger: Ledger, head?: string): Promise<string[]> {
    const { problems } = await ledger.verify({ head });
    return problems.map(({ message }) => message);
  }

  it('finds nothing where nothing was touched, and tells the hash of the last line', async () => {
    const { ledger, lines } = await ledgerOfFour();
    const head = sha256(lines[3]?.trimEnd() ?? '');
    assert.deepEqual(await ledger.verify(), { lines: 4, runs: 4, head, problems: [], notes: [] });
  });

  for (const [what, edit, expected] of [
    [
      'a changed line',
      ([a = '', b = '', ...rest]: string[]) => [a, b.replace('"right":2', '"right":3'), ...rest],
      [/^Line 3 does not follow line 2 as it stands: line 2 was changed after it was written, or lines between/],
    ],
    [
      'a change of white space alone',
      ([a = '', b = '', ...rest]: string[]) => [a, b.replace('{"v":1', '{ "v":1'), ...rest],
      [/^Line 3 does not follow line 2/],
    ],
    [
      'a removed line',
      ([a = '', , ...rest]: string[]) => [a, ...rest],
      [/^Line 2 does not follow line 1 as it stands: .* or lines between the two were removed/],
    ],
    [
      'lines that were cut off at the beginning',
      ([, , ...rest]: string[]) => rest,
      [/^Line 1 follows a line that is not here: lines before it were removed/],
    ],
    [
      'two lines in another order',
      ([a = '', b = '', c = '', d = '']: string[]) => [a, c, b, d],
      [/^Line 2 follows line 3: the order/, /^Line 3 follows line 1: line 2 was put in/, /^Line 4 follows line 2/],
    ],
    [
      'a line that was put in without a chain',
      ([a = '', ...rest]: string[]) => [a, a, ...rest],
      [/^Line 2 begins a chain of its own: it was put in by hand, or two ledgers were joined/],
    ],
    [
      'a note that somebody wrote',
      ([a = '', b = '', ...rest]: string[]) => [a, b, '# the good ones\n', ...rest],
      [/^Line 3 is not JSON/, /^Line 4 follows line 2: line 3 was put in by hand/],
    ],
    [
      'an empty line',
      ([a = '', ...rest]: string[]) => [a, '\n', ...rest],
      [/^Line 2 is empty/, /^Line 3 follows line 1: line 2 was put in by hand/],
    ],
    [
      'the marks of a merge that was not resolved',
      ([a = '', b = '', c = '', d = '']: string[]) => [a, '<<<<<<< ours\n', b, '=======\n', c, '>>>>>>> theirs\n', d],
      [
        /^Line 2 is not JSON/,
        /^Line 3 follows/,
        /^Line 4 is not/,
        /^Line 5 follows/,
        /^Line 6 is not/,
        /^Line 7 follows/,
      ],
    ],
    [
      'a line that lacks a field',
      ([a = '', b = '', ...rest]: string[]) => [a, b.replace('"run_id":"two",', ''), ...rest],
      [
        /^Line 2 does not have the form of a line: its field run_id is missing or wrong/,
        /^Line 3 does not follow line 2/,
      ],
    ],
    [
      'a line without a hash of the line before',
      ([a = '', b = '']: string[]) => [a, b.replace(/"prev":"\w+",/, '')],
      [/^Line 2 does not have .* field prev/, /^Line 2 does not say which line it follows/],
    ],
  ] as const)
    it(`finds ${what}`, async () => {
      const { ledger, lines } = await ledgerOfFour();
      writeFileSync(ledger.path, edit(lines).join(''));
      const found = (await messages(ledger)).filter((message) => !message.startsWith('The output'));
      assert.equal(found.length, expected.length, found.join('\n'));
      for (const [index, pattern] of expected.entries()) assert.match(found[index] ?? '', pattern);
    });

  it('takes a line of a newer version for what it is, and still follows the chain through it', async () => {
    const { ledger, lines } = await ledgerOfFour();
    const newer = JSON.stringify({ v: 2, prev: sha256(lines[3]?.trimEnd() ?? ''), shape: 'unknown' });
    appendFileSync(ledger.path, `${newer}\n`);
    await appendRun(ledger, 'five', 'x');
    assert.deepEqual(await messages(ledger), ['Line 5 was written by a newer version of this program (format 2).']);
    const { lines: read, problems } = await ledger.read();
    assert.equal(read.length, 5);
    assert.match(problems.join(), /Line 5 of the ledger .* newer version/);
  });

  it('accepts Windows line ends, says so, and keeps the chain when a line is written behind them', async () => {
    const { ledger, lines } = await ledgerOfFour();
    writeFileSync(ledger.path, lines.join('').replaceAll('\n', '\r\n'));
    await appendRun(ledger, 'five', 'x');
    const { problems, notes } = await ledger.verify();
    assert.deepEqual(problems, []);
    assert.match(notes.join(), /Some lines end as on Windows/);
    writeFileSync(ledger.path, readFileSync(ledger.path, 'utf8').replaceAll('\r\n', '\n'));
    assert.deepEqual(await ledger.verify().then((check) => [check.problems, check.notes]), [[], []]);
  });

  it('reads a first line behind a byte order mark, and says that it was changed', async () => {
    const { ledger, lines } = await ledgerOfFour();
    writeFileSync(ledger.path, `\uFEFF${lines.join('')}`);
    assert.equal((await ledger.runs()).length, 4);
    assert.match((await messages(ledger)).join(), /^Line 2 does not follow line 1 as it stands/);
  });

  it('cannot see a cut tail or a changed last line, unless the head was noted', async () => {
    const { ledger, lines } = await ledgerOfFour();
    const { head } = await ledger.verify();
    assert.ok(head);
    assert.deepEqual((await ledger.verify({ head })).notes, ['The last line is the one that was noted.']);
    writeFileSync(ledger.path, lines.slice(0, 3).join(''));
    assert.deepEqual(await messages(ledger), []);
    assert.match((await messages(ledger, head)).join(), /^No line has the hash .* cut off or changed since/);
    const last = lines[3]?.replace('"right":2', '"right":3') ?? '';
    writeFileSync(ledger.path, [...lines.slice(0, 3), last].join(''));
    assert.deepEqual(await messages(ledger), []);
    assert.match((await messages(ledger, head.slice(0, 8))).join(), /^No line has the hash \w{8} that was noted/);
  });

  it('takes a head to which lines were added since for what it is', async () => {
    const { ledger } = await ledgerOfFour();
    const { head } = await ledger.verify();
    await appendRun(ledger, 'five', 'x');
    const { problems, notes } = await ledger.verify({ head: head?.toUpperCase() });
    assert.deepEqual(problems, []);
    assert.deepEqual(notes, ['The line that was noted is line 4; one line was written since.']);
  });

  it('finds output files that are missing, shorter, changed, or something else', async () => {
    const { ledger } = await ledgerOfFour();
    const output = (id: string) => join(ledger.folder, id, 'items.jsonl');
    rmSync(output('one'));
    appendFileSync(output('two'), 'more');
    writeFileSync(output('three'), '{"id":"THREE"}\n');
    rmSync(output('four'));
    mkdirSync(output('four'));
    assert.deepEqual(await messages(ledger), [
      'The output of line 1 (run one), one/items.jsonl, is not there.',
      'The output of line 2 (run two), two/items.jsonl, has 17 bytes and had 13: it was changed since.',
      'The output of line 3 (run three), three/items.jsonl, has another SHA-256: it was changed since.',
      'The output of line 4 (run four), four/items.jsonl, is not a file.',
    ]);
  });

  it('compares the output of a run that was stopped and went on with its last line alone', async () => {
    const { ledger } = await ledgerOfFour();
    await appendRun(ledger, 'five', 'first half\n', 'stopped');
    await appendRun(ledger, 'five', 'first half\nsecond half\n');
    const { lines, runs, problems } = await ledger.verify();
    assert.deepEqual({ lines, runs, problems }, { lines: 6, runs: 5, problems: [] });
  });

  it('compares a file that a later run wrote again with that run alone, and notes it', async () => {
    const { ledger } = await ledgerOfFour();
    const path = join(ledger.folder, 'one', 'items.jsonl');
    const again = '{"id":"again"}\n';
    const append = (text: string) =>
      ledger.append(evalEntry('again', { output: { path, sha256: sha256(text), bytes: text.length } }));
    await append(again);
    assert.deepEqual(await messages(ledger), [
      'The output of line 5 (run again), one/items.jsonl, has 13 bytes and had 15: it was changed since.',
    ]);
    writeFileSync(path, again);
    const { problems, notes } = await ledger.verify();
    assert.deepEqual(problems, []);
    assert.deepEqual(notes, [
      'The output of line 1 (run one), one/items.jsonl, was written again by line 5 (run again), with which it is compared.',
    ]);
  });

  it('knows a file that was written again by whatever name, and says so once', async () => {
    const { ledger } = await ledgerOfFour();
    symlinkSync('one', join(ledger.folder, 'link'));
    const names = ['link/items.jsonl', 'link/../one/items.jsonl', 'one/items.jsonl', 'link/items.jsonl'];
    for (const [index, name] of names.entries()) {
      const path = `${ledger.folder}/${name}`;
      const text = `again ${index}\n`;
      writeFileSync(path, text);
      const output = { path, sha256: sha256(text), bytes: text.length };
      await ledger.append(evalEntry(`again${index}`, { output }));
    }
    const { problems, notes } = await ledger.verify();
    assert.deepEqual(problems, []);
    assert.deepEqual(notes, [
      'The output of lines 1, 5, 6 and 1 more, one/items.jsonl, was written again by line 8 (run again3), with which it is compared.',
    ]);
  });

  it('ends when it is cancelled', async () => {
    const { ledger } = await ledgerOfFour();
    await assert.rejects(ledger.verify({ signal: AbortSignal.abort() }), { code: 'cancelled' });
  });
});
