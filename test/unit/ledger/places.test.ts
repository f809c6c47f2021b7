import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../../src/protocol/errors.ts';
import { Ledger } from '../../../src/runtime/store/ledger.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { evalEntry } from './support/entry.ts';
import { startWriter } from './support/start-writer.ts';

const isWindows = process.platform === 'win32';
/** The user that owns nothing. */
const NOBODY = 65_534;

function fails(code: string, pattern: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, pattern);
    return true;
  };
}

describe('where a ledger lies', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  it('no folder and no file are an empty ledger, and reading makes neither', async () => {
    const ledger = new Ledger(join(folder.path, 'none'));
    assert.deepEqual(await ledger.read(), { lines: [], problems: [] });
    assert.deepEqual(await ledger.list(), { rows: [], total: 0, problems: [] });
    assert.deepEqual(await ledger.verify(), { lines: 0, runs: 0, head: null, problems: [], notes: [] });
    await assert.rejects(ledger.find('latest'), fails('ledger_no_runs', /has no runs yet/));
    assert.equal(existsSync(ledger.folder), false);
  });

  it('a folder in place of the file is named, when reading and when writing', async () => {
    const ledger = new Ledger(join(folder.path, 'folder'));
    mkdirSync(ledger.path, { recursive: true });
    for (const use of [() => ledger.append(evalEntry('one')), () => ledger.read(), () => ledger.list()])
      await assert.rejects(use(), fails('ledger_not_a_file', /is a folder and not a file/));
  });

  it('a pipe in place of the file keeps nobody waiting', async function () {
    if (isWindows) this.skip();
    const ledger = new Ledger(join(folder.path, 'pipe'));
    mkdirSync(ledger.folder);
    execFileSync('mkfifo', [ledger.path]);
    for (const use of [() => ledger.append(evalEntry('one')), () => ledger.read(), () => ledger.verify()])
      await assert.rejects(use(), fails('ledger_not_a_file', /is a pipe/));
  });

  it('a link to a file is followed, and all who come by it share one lock', async function () {
    if (isWindows) this.skip();
    const real = new Ledger(join(folder.path, 'real'));
    await real.append(evalEntry('one'));
    const linked = new Ledger(join(folder.path, 'linked'));
    mkdirSync(linked.folder);
    symlinkSync(real.path, linked.path);
    await Promise.all([linked, real].map((ledger, index) => ledger.append(evalEntry(`more-${index}`))));
    assert.equal((await linked.runs()).length, 3);
    assert.deepEqual(readdirSync(linked.folder), ['ledger.jsonl']);
    const { problems } = await real.verify();
    assert.deepEqual(
      problems.filter(({ code }) => code !== 'output'),
      [],
    );
  });

  it('a link to nothing is an error and makes no file', async function () {
    if (isWindows) this.skip();
    const ledger = new Ledger(join(folder.path, 'dangling'));
    mkdirSync(ledger.folder);
    symlinkSync(join(folder.path, 'gone.jsonl'), ledger.path);
    for (const use of [() => ledger.append(evalEntry('one')), () => ledger.read()])
      await assert.rejects(use(), fails('ledger_link_broken', /link to a file that is not there/));
    assert.equal(existsSync(join(folder.path, 'gone.jsonl')), false);
  });

  it('a folder that is a link is followed, and the output in it is told relative to it', async function () {
    if (isWindows) this.skip();
    const target = join(realpathSync(folder.path), 'target');
    mkdirSync(join(target, 'one'), { recursive: true });
    writeFileSync(join(target, 'one', 'items.jsonl'), '');
    symlinkSync(target, join(folder.path, 'by-link'));
    const ledger = new Ledger(join(folder.path, 'by-link'));
    const output = { path: join(target, 'one', 'items.jsonl'), sha256: '0'.repeat(64), bytes: 0 };
    const line = await ledger.append(evalEntry('one', { output }));
    assert.equal(line.kind === 'eval' && line.output.path, 'one/items.jsonl');
  });

  it('a file in place of the folder is named', async () => {
    writeFileSync(join(folder.path, 'file'), '');
    const ledger = new Ledger(join(folder.path, 'file', 'results'));
    await assert.rejects(ledger.append(evalEntry('one')), fails('ledger_unwritable', /cannot be written .*--results/));
  });

  it('a lock file that is none of ours is named', async () => {
    const ledger = new Ledger(join(folder.path, 'foreign-lock'));
    mkdirSync(ledger.folder);
    writeFileSync(`${ledger.path}.lock`, 'pid 17 was here, and has written a good deal of text'.repeat(20));
    await assert.rejects(ledger.append(evalEntry('one')), fails('ledger_lock', /Remove it: it never holds anything/));
  });

  it('a folder that may not be written can be read, and writing says what to do', async function () {
    if (process.getuid?.() !== 0) this.skip();
    const ledger = new Ledger(join(folder.path, 'read-only'));
    await ledger.append(evalEntry('one'));
    rmSync(`${ledger.path}.lock`);
    for (const path of [folder.path, ledger.folder]) chmodSync(path, 0o755);
    const before = readFileSync(ledger.path, 'utf8');
    const [said = ''] = await startWriter(ledger.folder, 'two', 1, { uid: NOBODY }).ended;
    assert.match(said, /^error ledger_unwritable The ledger .* cannot be written .*--results\.$/);
    assert.equal(readFileSync(ledger.path, 'utf8'), before);
  });

  it('a full disk leaves the ledger as it was, and the next line goes on', async function () {
    if (isWindows) this.skip();
    const ledger = new Ledger(join(folder.path, 'full'));
    const said = await startWriter(ledger.folder, 'run', 100, { fileLimit: 16 }).ended;
    const written = said.filter((line) => line.startsWith('run-'));
    assert.ok(written.length > 0 && written.length < 20, said.join('\n'));
    assert.match(said.at(-1) ?? '', /^error disk_full The disk of .* is too full .* Nothing half-written was left/);
    assert.equal(readFileSync(ledger.path, 'utf8').split('\n').length - 1, written.length);
    assert.ok(statSync(ledger.path).size <= 16 * 1024);
    const notes: string[] = [];
    await new Ledger(ledger.folder, null, { onNote: (note) => notes.push(note) }).append(evalEntry('next'));
    assert.deepEqual(notes, []);
    assert.equal((await ledger.runs()).length, written.length + 1);
  });
});
