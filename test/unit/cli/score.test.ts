import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Verdict } from '../../../src/protocol/score.ts';
import { sqlAgent } from '../../support/cli.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';

const RUNAWAY = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';

describe('sql-agent score', function () {
  this.timeout(120_000);
  let folder: TemporaryFolder;
  let root: string;

  beforeEach(() => {
    folder = temporaryFolder();
    root = join(folder.path, 'database');
    mkdirSync(join(root, 'music'), { recursive: true });
    folder.database(
      'database/music/music.sqlite',
      "CREATE TABLE album(id INTEGER, title TEXT); INSERT INTO album VALUES (1, 'one'), (2, 'two'), (3, 'two')",
    );
  });
  afterEach(() => folder.remove());

  function file(name: string, text: string): string {
    const path = join(folder.path, name);
    writeFileSync(path, text);
    return path;
  }

  function pairs(...preds: (string | { db_id?: string; gold?: string; pred: string })[]): string {
    const lines = preds.map((pred, index) =>
      JSON.stringify({
        id: `q${index}`,
        db_id: 'music',
        gold: 'SELECT title FROM album',
        ...(typeof pred === 'string' ? { pred } : pred),
      }),
    );
    return file('pairs.jsonl', `${lines.join('\n')}\n`);
  }

  function score(path: string, ...words: string[]) {
    const env = { SQL_AGENT_HOME: join(folder.path, 'home') };
    return sqlAgent(['score', '--pairs', path, '--db-root', root, ...words], { env });
  }

  async function json(path: string, ...words: string[]) {
    const { code, stdout, stderr } = await score(path, ...words, '--json');
    assert.equal(stdout.trimEnd().split('\n').length, 1, stdout);
    return { code, stderr, answer: JSON.parse(stdout) };
  }

  function verdicts(path: string): Verdict[] {
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    return lines.map((line) => Verdict.parse(JSON.parse(line)));
  }

  it('prints a table of shares with their intervals, luck, reasons, failures and time', async () => {
    const path = pairs(
      'SELECT title FROM album',
      'SELECT DISTINCT title FROM album',
      'SELECT id FROM album',
      'SELECT x',
    );
    const { code, stdout, stderr } = await score(path);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^4 pairs scored/);
    assert.match(stdout, /\n {2}official_ex +50\.0 % {2}15\.0 to 85\.0 {2}2 of 4\n/);
    assert.match(stdout, /\n {2}strict_ex +25\.0 % .* 1 of 4\n/);
    assert.match(stdout, /\n {2}spider_ex +50\.0 %/);
    assert.match(stdout, /\n {2}soft_f1 +/);
    assert.match(stdout, /\n {2}Luck +1 pass official_ex and fail strict_ex/);
    assert.match(stdout, /\n {2}Reasons +1 duplicates_only, 1 row_values, 1 pred_failed\n/);
    assert.match(stdout, /\n {2}Not run +1 error of the predictions\n/);
    assert.match(stdout, /\n {2}Time +\d/);
  });

  it('writes a verdict for each pair in the order of the pairs, and the same again from what it kept', async () => {
    const path = pairs(...Array.from({ length: 40 }, (_, index) => `SELECT title FROM album WHERE id > ${index % 7}`));
    const [first, second] = [join(folder.path, 'a.jsonl'), join(folder.path, 'b.jsonl')];
    assert.equal((await score(path, '--out', first, '--children', '3')).code, 0);
    assert.equal((await score(path, '--out', second, '--children', '1')).code, 0);
    const found = verdicts(first);
    assert.deepEqual(
      found.map(({ id }) => id),
      Array.from({ length: 40 }, (_, index) => `q${index}`),
    );
    assert.deepEqual(verdicts(second), found);
    assert.deepEqual([found[0]?.strict_ex, found[1]?.strict_ex], [true, false]);
    const none = join(folder.path, 'c.jsonl');
    await score(path, '--out', none, '--no-cache');
    assert.deepEqual(
      verdicts(none).map((verdict) => ({ ...verdict, ms: 0 })),
      found.map((verdict) => ({ ...verdict, ms: 0 })),
    );
  });

  it('answers with one JSON object', async () => {
    const { code, answer } = await json(
      pairs('SELECT title FROM album', 'SELECT 1'),
      '--metrics',
      'strict_ex,r_ves',
      '--r-ves-runs',
      '2',
    );
    assert.equal(code, 0);
    assert.deepEqual([answer.status, answer.pairs, answer.out], ['ok', 2, null]);
    assert.deepEqual([answer.shares.strict_ex.right, answer.shares.strict_ex.of], [1, 2]);
    assert.deepEqual(Object.keys(answer.shares), ['strict_ex']);
    assert.ok(answer.r_ves > 0 && answer.r_ves <= 56, String(answer.r_ves));
    assert.equal(answer.soft_f1, null);
    assert.deepEqual(answer.settings.metrics, ['strict_ex', 'r_ves']);
  });

  it("reads BIRD's and Spider's own files", async () => {
    const bird = file('predict.json', JSON.stringify({ 0: 'SELECT title FROM album\t----- bird -----\tmusic' }));
    const gold = file('gold.sql', 'SELECT title FROM album WHERE 1\tmusic\n');
    assert.equal((await json(bird, '--gold', gold)).answer.shares.strict_ex.right, 1);
    const lines = file('pred.txt', 'SELECT title FROM album\n');
    assert.equal((await json(lines, '--gold', gold)).answer.shares.strict_ex.right, 1);
  });

  it('leaves the golds of a sealed split out, unless a reason opens it, which the ledger records', async () => {
    mkdirSync(join(root, 'art'));
    folder.database('database/art/art.sqlite', 'CREATE TABLE work(id INTEGER)');
    const items = ['music', 'art', 'music'].map((db_id, id) => ({ id, db_id, question: 'q', gold: 'SELECT 1' }));
    const gold = file('dev.jsonl', items.map((item) => `${JSON.stringify(item)}\n`).join(''));
    const preds = file('pred.txt', 'SELECT 1\nSELECT 1\nSELECT 2\n');
    const made = await sqlAgent([
      'split',
      '--dataset',
      gold,
      '--part',
      'test=0.3',
      '--part',
      'dev=0.7',
      '--seal',
      'test',
    ]);
    assert.equal(made.code, 0, made.stderr);
    const { answer, stderr } = await json(preds, '--gold', gold);
    assert.deepEqual([answer.pairs, answer.shares.official_ex.right], [2, 1]);
    assert.match(stderr, /1 item of the sealed split "test" is left out/);
    const results = ['--results', join(folder.path, 'results')];
    const opened = (await json(preds, '--gold', gold, '--open-sealed', 'the last check', ...results)).answer;
    assert.deepEqual([opened.pairs, opened.shares.official_ex.right], [3, 2]);
    const line = JSON.parse(readFileSync(join(folder.path, 'results', 'ledger.jsonl'), 'utf8'));
    assert.deepEqual([line.kind, line.split.name, line.reason], ['open_sealed', 'test', 'the last check']);
    const lines = file('dev.sql', 'SELECT 1\tmusic\nSELECT 1\tart\nSELECT 1\tmusic\n');
    assert.equal((await json(preds, '--gold', lines)).answer.code, 'golds_sealed');
  });

  it('never writes the verdicts over the predictions, and follows a link to where they go', async () => {
    const path = pairs('SELECT title FROM album');
    const before = readFileSync(path, 'utf8');
    const link = join(folder.path, 'link.jsonl');
    symlinkSync(path, link);
    for (const out of [path, link]) assert.equal((await json(path, '--out', out)).answer.code, 'verdicts_over_input');
    assert.equal(readFileSync(path, 'utf8'), before);
    const target = file('verdicts.jsonl', '');
    const other = join(folder.path, 'other.jsonl');
    symlinkSync(target, other);
    assert.equal((await score(path, '--out', other)).code, 0);
    assert.deepEqual([lstatSync(other).isSymbolicLink(), verdicts(target).length], [true, 1]);
  });

  it('removes what a killed process left beside the verdicts, and nothing of a living one', async () => {
    const path = pairs('SELECT title FROM album');
    const dead = spawnSync(process.execPath, ['--version']).pid;
    for (const pid of [dead, process.pid]) file(`v.jsonl.${pid}.partial`, 'half');
    assert.equal((await score(path, '--out', join(folder.path, 'v.jsonl'))).code, 0);
    const left = readdirSync(folder.path).filter((name) => name.endsWith('.partial'));
    assert.deepEqual(left, [`v.jsonl.${process.pid}.partial`]);
  });

  it('scores every database of a suite, and tries right answers on changed copies', async () => {
    folder.database('database/music/other.sqlite', 'CREATE TABLE album(id INTEGER, title TEXT)');
    const path = pairs({ gold: 'SELECT count(*) FROM album', pred: 'SELECT 3' });
    const fragile = (await json(path, '--fragile')).answer;
    assert.deepEqual([fragile.shares.official_ex.right, fragile.fragile.right], [1, 1]);
    assert.equal(fragile.fragile.differ, 1);
    assert.equal((await json(path, '--suite')).answer.shares.official_ex.right, 0);
  });

  it('lists missing databases up front, counts their pairs apart, and scores the rest', async () => {
    const path = pairs('SELECT 1', { db_id: 'nope', pred: 'SELECT 1' }, { db_id: '../music', pred: 'SELECT 1' });
    const out = join(folder.path, 'v.jsonl');
    const { code, answer, stderr } = await json(path, '--out', out);
    assert.deepEqual([code, answer.pairs], [0, 1]);
    assert.deepEqual(answer.missing, [
      { name: 'nope', pairs: 1 },
      { name: '../music', pairs: 1 },
    ]);
    assert.match(stderr, /The database nope is missing \(.*nope\.sqlite\); 1 pair needs it/);
    assert.deepEqual(
      verdicts(out).map(({ official_ex }) => official_ex),
      [false, null, null],
    );
    const all = await json(pairs({ db_id: 'nope', pred: 'SELECT 1' }));
    assert.deepEqual([all.code, all.answer.code], [1, 'databases_missing']);
  });

  it('names the golds that fail, and leaves them out of every share', async () => {
    const path = pairs({ gold: 'SELECT nope FROM album', pred: 'SELECT 1' }, 'SELECT title FROM album', {
      gold: RUNAWAY,
      pred: 'SELECT 1',
    });
    const { answer, stderr } = await json(path, '--timeout-ms', '1000');
    assert.deepEqual([answer.shares.official_ex.right, answer.shares.official_ex.of], [1, 1]);
    assert.deepEqual(answer.failures, { gold: { error: 1, timeout: 1 }, pred: {} });
    assert.match(stderr, /The gold of q0 fails \(error\): no such column: nope/);
    assert.match(stderr, /The gold of q2 fails \(timeout\)/);
  });

  it('runs nothing where the files do not fit each other, and says why', async () => {
    const gold = file('gold.sql', 'SELECT 1\tmusic\n');
    const cases = [
      [file('two.txt', 'SELECT 1\nSELECT 2\n'), 'pairs_invalid', /2 predictions, but 1 golds in gold\.sql/],
      [join(folder.path, 'none.txt'), 'pairs_unreadable', /There is no file/],
      [folder.path, 'pairs_unreadable', /cannot be read \(EISDIR\)/],
    ] as const;
    for (const [path, code, message] of cases) {
      const { code: exit, answer } = await json(path, '--gold', gold);
      assert.deepEqual([exit, answer.code], [1, code]);
      assert.match(answer.message, message);
    }
    const twice = file(
      'twice.jsonl',
      '{"id":1,"db_id":"d","gold":"g","pred":"p"}\n{"id":1,"db_id":"d","gold":"g","pred":"p"}\n',
    );
    const { answer } = await json(twice);
    assert.match(answer.message, /line 2: the id "1" is taken already, by the pair on line 1/);
    writeFileSync(join(folder.path, 'latin.txt'), Buffer.from('SELECT 1\nSELECT \xe9\n', 'latin1'));
    const latin = await json(join(folder.path, 'latin.txt'), '--gold', gold);
    assert.match(latin.answer.message, /not UTF-8: line 2/);
  });

  it('says that the disk is full, and leaves the verdicts that were there', async function () {
    if (!existsSync('/dev/full')) this.skip();
    const path = pairs('SELECT title FROM album');
    const full = await json(path, '--out', '/dev/full');
    assert.deepEqual([full.code, full.answer.code], [1, 'verdicts_unwritable']);
    assert.match(full.answer.message, /no room left/);
    const out = join(folder.path, 'v.jsonl');
    writeFileSync(out, 'before');
    // A limit of one block for the size of a file, which the verdicts exceed.
    const many = pairs(...Array.from({ length: 500 }, () => 'SELECT title FROM album'));
    const program = join(import.meta.dirname, '../../../src/cli/main.ts');
    const words = ['score', '--pairs', many, '--db-root', root, '--no-cache', '--json', '--out', out];
    const limited = spawnSync('bash', ['-c', 'ulimit -f 8; exec "$@"', 'bash', process.execPath, program, ...words], {
      encoding: 'utf8',
      env: { ...process.env, NODE_COMPILE_CACHE: '' },
    });
    assert.equal(JSON.parse(limited.stdout).code, 'verdicts_unwritable', limited.stderr);
    assert.equal(readFileSync(out, 'utf8'), 'before');
    assert.deepEqual(
      readdirSync(folder.path).filter((name) => name.endsWith('.partial')),
      [],
    );
  });

  it('stops at Ctrl-C with exit code 130, and leaves the verdicts that were there', async () => {
    const path = pairs('SELECT 1', RUNAWAY);
    const out = join(folder.path, 'v.jsonl');
    const temp = join(folder.path, 'tmp');
    mkdirSync(temp);
    writeFileSync(out, 'before');
    const { code, stderr } = await sqlAgent(['score', '--pairs', path, '--db-root', root, '--out', out], {
      env: { SQL_AGENT_HOME: join(folder.path, 'home'), TMPDIR: temp },
      onStart: (child) => {
        // The pool's folder is there as soon as queries are on their way.
        const timer = setInterval(() => {
          if (readdirSync(temp).length === 0) return;
          clearInterval(timer);
          child.kill('SIGINT');
        }, 10);
      },
    });
    assert.equal(code, 130, stderr);
    assert.match(stderr, /cancelled/);
    assert.equal(readFileSync(out, 'utf8'), 'before');
    assert.deepEqual(readdirSync(temp), []);
    assert.deepEqual(
      readdirSync(folder.path).filter((name) => name.includes('partial')),
      [],
    );
  });

  it('answers wrong usage with exit code 2', async () => {
    const path = pairs('SELECT 1');
    for (const words of [
      ['--metrics', 'official'],
      ['--metrics', ''],
      ['--order-policy', 'never'],
      ['--children', '0'],
      ['--metrics', 'r_ves', '--children', '2'],
      ['--timeout-ms', '-1'],
      ['more'],
    ])
      assert.equal((await score(path, ...words)).code, 2, words.join(' '));
    assert.equal((await sqlAgent(['score'])).code, 2);
    assert.match((await sqlAgent(['score', '--help'])).stdout, /^Usage: sql-agent score --pairs FILE/);
  });
});
