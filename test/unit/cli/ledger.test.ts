import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseCsv } from '../../../src/core/schema/csv.ts';
import { Ledger } from '../../../src/runtime/store/ledger.ts';
import { sqlAgent } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { evalEntry } from '../ledger/support/entry.ts';

const ITEMS = '{"id":"0"}\n';
const OUTPUT = { sha256: createHash('sha256').update(ITEMS).digest('hex'), bytes: ITEMS.length };

describe('sql-agent ledger', () => {
  const folder = temporaryFolder();
  const results = join(folder.path, 'results');
  const env = { SQL_AGENT_HOME: join(folder.path, 'home'), SQL_AGENT_RESULTS: results };
  const call = (...words: string[]) => sqlAgent(['ledger', ...words], { env, cwd: folder.path });
  after(() => folder.remove());

  before(async () => {
    const ledger = new Ledger(results, null, { now: () => new Date('2026-11-29T22:00:00Z') });
    for (const [id, state] of [
      ['20261129-210000-small-dev-aaaa', 'done'],
      ['20261129-213000-coder-dev-bbbb', 'stopped'],
    ] as const) {
      const path = join(results, id, 'items.jsonl');
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, ITEMS);
      const entry = evalEntry(id, { state, output: { path, ...OUTPUT } });
      const done = state === 'done' ? 4 : 2;
      await ledger.append({ ...entry, summary: { ...entry.summary, done } });
    }
  });

  it('list shows the newest first, with ids and numbers whole', async () => {
    const { code, stdout } = await call('list');
    const lines = stdout.trimEnd().split('\n');
    assert.equal(code, 0);
    assert.match(lines[0] ?? '', /^run +EX \(95 %\) +state +ended +dataset +model +asked/);
    assert.match(lines[2] ?? '', /^20261129-213000-coder-dev-bbbb {2}50\.0 % \(15\.0 to 85\.0\) {2}stopped at 2 of 4/);
    assert.match(lines[3] ?? '', /^20261129-210000-small-dev-aaaa .*done .*2026-11-29 +dev\.json \(4\)/);
    assert.equal(lines.length, 4);
    assert.equal(existsSync(env.SQL_AGENT_HOME), false, 'a small ledger needs no store');
  });

  it('tells a run with an adapter of the user’s from one of the model alone, and lines without its name stay valid', async () => {
    const other = join(folder.path, 'with-adapter');
    const path = join(other, 'run', 'items.jsonl');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, ITEMS);
    const ledger = new Ledger(other, null, { now: () => new Date('2026-11-29T22:00:00Z') });
    const entry = evalEntry('before', { output: { path, ...OUTPUT } });
    await ledger.append(entry);
    const model = { ...entry.config.model, adapterName: 'mine' };
    await ledger.append({ ...entry, run_id: 'after', config: { ...entry.config, model } });
    const at = (...words: string[]) => call(...words, '--results', other);
    const { runs } = JSON.parse((await at('list', '--json')).stdout);
    assert.deepEqual(
      runs.map((run: { model: string }) => run.model),
      ['small with mine', 'small'],
    );
    assert.equal((await at('verify')).code, 0);
    const csv = parseCsv((await at('export')).stdout);
    const [named = [], ...rows] = csv;
    const of = (name: string) => rows.map((row) => row[named.indexOf(name)]);
    assert.deepEqual(
      [of('model'), of('adapter')],
      [
        ['small', 'small'],
        ['', 'mine'],
      ],
    );
  });

  it('list --limit says how many more there are, and --json gives the rows', async () => {
    assert.match((await call('list', '--limit', '1')).stdout, /The newest 1 of 2 runs; --limit 0 shows all\./);
    const answer = JSON.parse((await call('list', '--limit', '0', '--json')).stdout);
    assert.equal(answer.status, 'ok');
    assert.equal(answer.total, 2);
    assert.deepEqual(
      answer.runs.map((run: { run_id: string; right: number }) => [run.run_id.slice(-4), run.right]),
      [
        ['bbbb', 2],
        ['aaaa', 2],
      ],
    );
  });

  it('list of a folder without a ledger says where it looked', async () => {
    const { code, stdout } = await call('list', '--results', 'elsewhere');
    assert.equal(code, 0);
    assert.equal(
      stdout,
      `No runs in ${join(folder.path, 'elsewhere', 'ledger.jsonl')} yet. "sql-agent eval" makes one.\n`,
    );
  });

  it('show tells settings, metrics, outcomes and files of a run named by a part of its id', async () => {
    const { code, stdout } = await call('show', 'aaaa');
    assert.equal(code, 0);
    assert.match(stdout, /^Run 20261129-210000-small-dev-aaaa: done, 4 of 4 \(100\.0 %\) items/);
    assert.match(stdout, /official_ex +50\.0 %, interval of 95 % 15\.0 to 85\.0; 2 of 4/);
    assert.match(stdout, /wrong rows +1 of 4 \(25\.0 %\)/);
    assert.match(stdout, /linking +auto/);
    assert.ok(stdout.includes(join(results, '20261129-210000-small-dev-aaaa', 'items.jsonl')));
    const { run, files } = JSON.parse((await call('show', 'latest', '--json')).stdout);
    assert.equal(run.run_id, '20261129-213000-coder-dev-bbbb');
    assert.deepEqual(files, [{ path: join(results, run.run_id, 'items.jsonl'), bytes: ITEMS.length }]);
  });

  it('show of an unknown or ambiguous run names candidates and exits 1', async () => {
    const unknown = await call('show', '20261129-213000-coder-dev-bbbc');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /No run is called .* Did you mean 20261129-213000-coder-dev-bbbb or/);
    const ambiguous = JSON.parse((await call('show', '20261129', '--json')).stdout);
    assert.equal(ambiguous.code, 'run_ambiguous');
  });

  it('export gives one CSV row a run, all with the same columns, oldest first', async () => {
    const { code, stdout } = await call('export');
    const [header = [], ...rows] = parseCsv(stdout);
    const cell = (row: number, column: string) => rows[row]?.[header.indexOf(column)];
    assert.equal(code, 0);
    assert.equal(rows.length, 2);
    assert.ok(rows.every((row) => row.length === header.length));
    assert.deepEqual(
      [cell(0, 'run_id'), cell(0, 'official_ex'), cell(0, 'strict_ex_low')],
      ['20261129-210000-small-dev-aaaa', '0.5', '0.05'],
    );
    assert.deepEqual(
      [cell(1, 'state'), cell(1, 'done'), cell(1, 'outcome_sql_error'), cell(1, 'r_ves')],
      ['stopped', '2', '1', ''],
    );
  });

  it('export writes lines as they stand, or a Markdown table, to a file', async () => {
    const jsonl = await call('export', '--jsonl', '--out', 'runs.jsonl');
    assert.equal(jsonl.stdout, `2 runs written to ${join(folder.path, 'runs.jsonl')}.\n`);
    assert.equal(
      readFileSync(join(folder.path, 'runs.jsonl'), 'utf8'),
      readFileSync(join(results, 'ledger.jsonl'), 'utf8'),
    );
    const markdown = (await call('export', '--markdown')).stdout.split('\n');
    assert.match(markdown[0] ?? '', /^\| run \| EX \(95 %\) \| state \|/);
    assert.match(markdown[2] ?? '', /^\| 20261129-210000-small-dev-aaaa \| 50\.0 % \(15\.0 to 85\.0\) \| done \|/);
  });

  it('export as Markdown lets no name be markup', async () => {
    const other = join(folder.path, 'other');
    const ledger = new Ledger(other);
    const { config, ...entry } = evalEntry('20261129-220000-small-dev-cccc');
    const model = { ...config.model, provider: 'openai', name: '<img src=x>|`m' };
    await ledger.append({ ...entry, config: { ...config, model } });
    const { stdout } = await call('export', '--markdown', '--results', other);
    assert.ok(stdout.includes(String.raw`| \<img src=x\>\|\`m (openai) |`), stdout);
  });

  it('export never writes over the ledger, and names a file that cannot be written', async () => {
    const before = readFileSync(join(results, 'ledger.jsonl'), 'utf8');
    const over = await call('export', '--out', join(results, 'ledger.jsonl'));
    assert.equal(over.code, 1);
    assert.match(over.stderr, /it is the ledger itself/);
    assert.equal(readFileSync(join(results, 'ledger.jsonl'), 'utf8'), before);
    assert.match((await call('export', '--out', 'no/such/folder/x.csv')).stderr, /cannot be written .*--out/);
  });

  it('verify tells the head; it exits 1 and says what it means where something was changed', async () => {
    const whole = await call('verify');
    assert.equal(whole.code, 0);
    const head = /^head: (\w{64})$/m.exec(whole.stdout)?.[1] ?? '';
    assert.match(whole.stdout, /2 lines, 2 runs: all as written\./);
    assert.match((await call('verify', '--head', head)).stdout, /The last line is the one that was noted/);
    assert.equal((await call('verify', '--head', '0'.repeat(64))).code, 1);
    appendFileSync(join(results, '20261129-210000-small-dev-aaaa', 'items.jsonl'), 'x');
    const changed = await call('verify', '--json');
    assert.equal(changed.code, 1);
    const { status, code, problems } = JSON.parse(changed.stdout);
    assert.deepEqual([status, code], ['error', 'ledger_not_as_written']);
    assert.deepEqual(
      problems.map(({ line, code: kind }: { line: number; code: string }) => [line, kind]),
      [[1, 'output']],
    );
  });

  it('refuses words that make no sense with exit code 2', async () => {
    for (const words of [
      [],
      ['remove'],
      ['show'],
      ['list', 'x'],
      ['show', 'a', 'b'],
      ['list', '--head', '0'.repeat(64)],
      ['verify', '--head', 'xyz'],
      ['export', '--csv', '--markdown'],
      ['list', '--limit', 'all'],
    ])
      assert.equal((await call(...words)).code, 2, words.join(' '));
  });
});
