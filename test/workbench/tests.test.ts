import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Ctx } from '../../src/host/ctx.ts';
import { EvalTests } from '../../src/host/tests/provider.ts';
import { Ledger } from '../../src/runtime/store/ledger.ts';
import { testApi } from './support/extension.ts';
import { workspaceFile } from './support/tabs.ts';

const ALBUMS = {
  id: 'albums',
  database: 'chinook.sqlite',
  question: 'How many albums?',
  sql: 'SELECT count(*) FROM Album',
};
const GENRES = {
  id: 'genres',
  database: 'chinook.sqlite',
  question: 'Which genres are there?',
  sql: 'SELECT Name FROM Genre',
  difficulty: 'simple',
};
const GONE = { ...ALBUMS, id: 'gone', database: 'gone.sqlite' };
const jsonLines = (...lines: unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** Labels of what stands below an item or at the top, in the order in which they are shown. */
function labels(items: vscode.TestItemCollection): string[] {
  const all = [...items].map(([, item]) => item);
  return all.sort((a, b) => (a.sortText ?? a.label).localeCompare(b.sortText ?? b.label)).map(({ label }) => label);
}

describe('the questions of a folder as tests in VS Code', () => {
  let ctx: Ctx;
  let controller: vscode.TestController;
  let tests: EvalTests;
  const files: string[] = [];

  const write = (name: string, text: string) => {
    const { fsPath } = workspaceFile(name);
    writeFileSync(fsPath, text);
    files.push(fsPath);
    return fsPath;
  };
  const suite = (path: string) => {
    const item = controller.items.get(path);
    assert.ok(item, `there is no suite ${path}`);
    return item;
  };

  before(async () => {
    ({ ctx } = await testApi());
  });
  beforeEach(() => {
    controller = vscode.tests.createTestController('test.evals', 'Evals under test');
    tests = new EvalTests(ctx, controller);
  });
  afterEach(() => {
    tests.dispose();
    controller.dispose();
    for (const file of files.splice(0)) rmSync(file, { recursive: true, force: true });
  });

  it('are made level by level: suites, databases, questions at their lines', async () => {
    const path = write('shop.sql-tests.jsonl', jsonLines(ALBUMS, GONE, GENRES));
    await tests.resolve(undefined);
    assert.deepEqual(labels(controller.items), ['shop']);
    assert.equal(suite(path).children.size, 0);
    await tests.resolve(suite(path));
    assert.deepEqual(labels(suite(path).children), ['chinook.sqlite', 'gone.sqlite']);
    const database = suite(path).children.get('chinook.sqlite');
    assert.equal(database?.children.size, 0);
    await tests.resolve(database);
    assert.deepEqual(labels(database?.children ?? controller.items), ['How many albums?', 'Which genres are there?']);
    const genres = database?.children.get('genres');
    assert.deepEqual(
      [genres?.range?.start.line, genres?.description, genres?.tags.map(({ id }) => id)],
      [2, 'simple', ['simple']],
    );
  });

  it('say where a database is missing, and why a file cannot be read', async () => {
    const path = write('shop.sql-tests.jsonl', jsonLines(GONE));
    const broken = write('broken.sql-tests.jsonl', '{"id": 1}\n');
    await tests.resolve(undefined);
    await tests.resolve(suite(path));
    await tests.resolve(suite(broken));
    assert.match(String(suite(path).children.get('gone.sqlite')?.error), /gone\.sqlite/);
    assert.match(String(suite(broken).error), /line 1/);
    write('broken.sql-tests.jsonl', jsonLines(ALBUMS));
    tests.changed(vscode.Uri.file(broken));
    await tests.update();
    assert.equal(suite(broken).error, undefined);
    assert.deepEqual(labels(suite(broken).children), ['chinook.sqlite']);
  });

  it('keep their lines when the file changes', async () => {
    const path = write('shop.sql-tests.jsonl', jsonLines(ALBUMS));
    await tests.showFile(vscode.Uri.file(path));
    const before = suite(path).children.get('chinook.sqlite')?.children.get('albums');
    write('shop.sql-tests.jsonl', jsonLines(GENRES, { ...ALBUMS, question: 'How many albums are there?' }));
    tests.changed(vscode.Uri.file(path));
    await tests.update();
    const database = suite(path).children.get('chinook.sqlite');
    assert.equal(database?.children.get('albums'), before);
    assert.deepEqual([before?.label, before?.range?.start.line], ['How many albums are there?', 1]);
    assert.equal(database?.children.size, 2);
  });

  it('come from a dataset that the settings name, with its databases', async () => {
    const folder = workspaceFile('data').fsPath;
    await vscode.workspace.fs.createDirectory(vscode.Uri.file(join(folder, 'db/music')));
    await vscode.workspace.fs.copy(
      workspaceFile('chinook.sqlite'),
      vscode.Uri.file(join(folder, 'db/music/music.sqlite')),
    );
    files.push(folder);
    const dev = join(folder, 'dev.json');
    writeFileSync(
      dev,
      JSON.stringify([{ db_id: 'music', question: 'How many?', evidence: '', SQL: 'SELECT 1' }], null, 1),
    );
    const settings = vscode.workspace.getConfiguration('sqlAgent');
    const target = vscode.ConfigurationTarget.Workspace;
    try {
      await settings.update('evals.datasets', [{ file: 'data/dev.json', databases: 'data/db' }], target);
      await tests.resolve(undefined);
      await tests.showFile(vscode.Uri.file(dev));
      const database = suite(dev).children.get('music');
      assert.equal(database?.error, undefined);
      assert.deepEqual(labels(database?.children ?? controller.items), ['How many?']);
      assert.equal(suite(dev).description, 'data');
    } finally {
      await settings.update('evals.datasets', undefined, target);
    }
  });

  it('are run by the command line, and what came of them is found again in the ledger', async () => {
    const path = write('shop.sql-tests.jsonl', jsonLines(ALBUMS, GENRES));
    files.push(workspaceFile('results').fsPath);
    const byQuestion = { [ALBUMS.question]: ALBUMS.sql, [GENRES.question]: 'SELECT Nam FROM Genre' };
    const script = { protocol: 'one_shot', byQuestion };
    writeFileSync(process.env['SQL_AGENT_SCRIPT'] ?? '', JSON.stringify(script));
    await tests.resolve(undefined);
    const source = new vscode.CancellationTokenSource();
    await tests.run('sample', new vscode.TestRunRequest([suite(path)]), source.token);
    const line = (id: string) => suite(path).children.get('chinook.sqlite')?.children.get(id);
    assert.deepEqual([line('albums')?.description, line('genres')?.description], ['right', 'simple · SQL error']);

    const other = vscode.tests.createTestController('test.evals.again', 'Evals after a reload');
    const again = new EvalTests(ctx, other);
    try {
      await again.showFile(vscode.Uri.file(path));
      const [found] = await again.suites();
      assert.ok(found);
      await again.recall(found);
      const genres = other.items.get(path)?.children.get('chinook.sqlite')?.children.get('genres');
      assert.equal(genres?.description, 'simple · SQL error');
      assert.deepEqual(
        genres?.tags.map(({ id }) => id),
        ['simple', 'sql-error'],
      );
    } finally {
      again.dispose();
      other.dispose();
    }
  });

  it('run what failed alone with "Failures only"', async () => {
    const path = write('shop.sql-tests.jsonl', jsonLines(ALBUMS, GENRES));
    files.push(workspaceFile('results').fsPath);
    const answer = (genres: string) => {
      const byQuestion = { [ALBUMS.question]: ALBUMS.sql, [GENRES.question]: genres };
      writeFileSync(process.env['SQL_AGENT_SCRIPT'] ?? '', JSON.stringify({ protocol: 'one_shot', byQuestion }));
    };
    const { token } = new vscode.CancellationTokenSource();
    answer('SELECT Nam FROM Genre');
    await tests.run('all', new vscode.TestRunRequest(), token);
    answer(GENRES.sql);
    await tests.run('failures', new vscode.TestRunRequest(), token);
    const line = suite(path).children.get('chinook.sqlite')?.children.get('genres');
    assert.equal(line?.description, 'simple · right');
    const [newest] = await new Ledger(workspaceFile('results').fsPath).runs();
    assert.deepEqual(newest?.config.items, { ...newest?.config.items, count: 1, of: 2 });
  });

  it('stop when they are cancelled, and keep what was finished', async () => {
    const path = write('shop.sql-tests.jsonl', jsonLines(ALBUMS, GENRES));
    files.push(workspaceFile('results').fsPath);
    const byQuestion = { [ALBUMS.question]: ALBUMS.sql, [GENRES.question]: { text: GENRES.sql, delayMs: 600_000 } };
    writeFileSync(process.env['SQL_AGENT_SCRIPT'] ?? '', JSON.stringify({ protocol: 'one_shot', byQuestion }));
    const source = new vscode.CancellationTokenSource();
    // Cancelled when the first of two questions has been answered.
    const createTestRun: typeof controller.createTestRun = (...words) => {
      const run = controller.createTestRun(...words);
      const passed = run.passed.bind(run);
      run.passed = (...told) => {
        passed(...told);
        source.cancel();
      };
      return run;
    };
    const watched: vscode.TestController = Object.create(controller, { createTestRun: { value: createTestRun } });
    const cancelled = new EvalTests(ctx, watched);
    try {
      await cancelled.resolve(undefined);
      await cancelled.run('all', new vscode.TestRunRequest([suite(path)]), source.token);
    } finally {
      cancelled.dispose();
    }
    const [stopped] = await new Ledger(workspaceFile('results').fsPath).runs();
    assert.deepEqual([stopped?.state, stopped?.summary.items, stopped?.summary.done], ['stopped', 2, 1]);
    const database = suite(path).children.get('chinook.sqlite');
    assert.equal(database?.children.get('albums')?.description, 'right');
    assert.equal(database?.children.get('genres')?.description, 'simple');
  });
});
