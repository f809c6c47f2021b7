import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Ctx } from '../../src/host/ctx.ts';
import { EvalTests } from '../../src/host/tests/provider.ts';
import { saveAsTest } from '../../src/host/tests/save.ts';
import { testApi } from './support/extension.ts';
import { activeTab, allTabs, closeAll, untilTabs, workspaceFile } from './support/tabs.ts';

const item = (id: string, question: string, sql: string, database = 'chinook.sqlite') => ({
  id,
  database,
  question,
  sql,
});
const ALBUMS = item('albums', 'How many albums?', 'SELECT count(*) FROM Album');
const GENRES = item('genres', 'Which genres are there?', 'SELECT Name FROM Genre');
const jsonLines = (...lines: unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

describe('evaluations in VS Code, when things go wrong around them', () => {
  let ctx: Ctx;
  let controller: vscode.TestController;
  let tests: EvalTests;
  const files: string[] = [];

  const pathOf = (name: string) => workspaceFile(name).fsPath;
  const write = (name: string, text: string | Uint8Array) => {
    writeFileSync(pathOf(name), text);
    files.push(pathOf(name));
    return pathOf(name);
  };
  const suite = (path: string) => {
    const found = controller.items.get(path);
    assert.ok(found, `there is no suite ${path}`);
    return found;
  };
  const errorOf = async (name: string, text: string | Uint8Array) => {
    const path = write(name, text);
    await tests.resolve(undefined);
    await tests.update();
    await tests.resolve(suite(path));
    return suite(path).error === undefined ? null : String(suite(path).error);
  };
  const answers = (genres: unknown) => {
    const byQuestion = { [ALBUMS.question]: ALBUMS.sql, [GENRES.question]: genres };
    writeFileSync(process.env['SQL_AGENT_SCRIPT'] ?? '', JSON.stringify({ protocol: 'one_shot', byQuestion }));
  };
  /** Runs the suite of both questions and does something when the first has passed. @returns descriptions of both */
  const runBoth = async (once: () => void) => {
    const path = write('both.sql-tests.jsonl', jsonLines(ALBUMS, GENRES));
    files.push(pathOf('results'));
    const { token } = new vscode.CancellationTokenSource();
    const createTestRun: typeof controller.createTestRun = (...words) => {
      const run = controller.createTestRun(...words);
      const passed = run.passed.bind(run);
      run.passed = (...told) => {
        passed(...told);
        once();
      };
      return run;
    };
    const watched: vscode.TestController = Object.create(controller, { createTestRun: { value: createTestRun } });
    const own = new EvalTests(ctx, watched);
    try {
      await own.resolve(undefined);
      await own.run('all', new vscode.TestRunRequest([suite(path)]), token);
      const below = suite(path).children.get('chinook.sqlite')?.children;
      return [below?.get('albums')?.description, below?.get('genres')?.description];
    } finally {
      own.dispose();
    }
  };
  const runs = async () => {
    const { store } = await ctx.runs();
    return await store.list();
  };

  before(async () => {
    ({ ctx } = await testApi());
  });
  beforeEach(() => {
    controller = vscode.tests.createTestController('test.hostile', 'Evals under test');
    tests = new EvalTests(ctx, controller);
  });
  afterEach(async () => {
    tests.dispose();
    controller.dispose();
    await closeAll();
    for (const file of files.splice(0)) rmSync(file, { recursive: true, force: true });
  });

  it('a suite file that cannot be used says why, whatever is in it', async () => {
    const whole = jsonLines(ALBUMS);
    const cases: [string, string | Uint8Array, RegExp | null][] = [
      ['half.sql-tests.jsonl', whole.slice(0, 40), /line 1/],
      ['twice.sql-tests.jsonl', whole + whole, /albums/],
      ['bytes.sql-tests.jsonl', Buffer.from([0x7b, 0xff, 0xfe, 0x0a]), /UTF-8/],
      ['sqlite.sql-tests.jsonl', readFileSync(pathOf('chinook.sqlite')).subarray(0, 4096), /SQLite/],
      ['crlf.sql-tests.jsonl', `\uFEFF${whole.replaceAll('\n', '\r\n')}`, null],
      ['long.sql-tests.jsonl', jsonLines({ ...ALBUMS, evidence: 'x'.repeat(10 * 2 ** 20) }), null],
    ];
    for (const [name, text, expected] of cases) {
      const error = await errorOf(name, text);
      if (expected === null) assert.equal(error, null, name);
      else assert.match(error ?? '', expected, name);
    }
  });

  it('an empty suite file says that it is empty', async () => {
    assert.match((await errorOf('empty.sql-tests.jsonl', '')) ?? '', /is empty/);
    assert.equal(suite(pathOf('empty.sql-tests.jsonl')).children.size, 0);
  });

  it('a suite file that is renamed takes its questions along', async () => {
    const path = write('old.sql-tests.jsonl', jsonLines(ALBUMS));
    await tests.showFile(vscode.Uri.file(path));
    const renamed = vscode.Uri.file(write('new.sql-tests.jsonl', ''));
    await vscode.workspace.fs.rename(vscode.Uri.file(path), renamed, { overwrite: true });
    tests.changed(vscode.Uri.file(path));
    tests.changed(renamed);
    await tests.update();
    assert.equal(controller.items.get(path), undefined);
    await tests.showFile(renamed);
    assert.equal(suite(renamed.fsPath).children.get('chinook.sqlite')?.children.size, 1);
  });

  it('a suite file that is deleted in mid-run leaves the run to its end', async () => {
    answers(GENRES.sql);
    assert.deepEqual(await runBoth(() => rmSync(pathOf('both.sql-tests.jsonl'), { force: true })), ['right', 'right']);
    assert.deepEqual(
      (await runs()).runs.map(({ state, done }) => [state, done]),
      [['done', 2]],
    );
  });

  it('a database that is replaced in mid-run gives each question an end', async () => {
    copyFileSync(pathOf('chinook.sqlite'), pathOf('kept.sqlite'));
    files.push(pathOf('kept.sqlite'));
    answers({ text: GENRES.sql, delayMs: 300 });
    try {
      const told = await runBoth(() => {
        rmSync(pathOf('chinook.sqlite'), { force: true });
        writeFileSync(pathOf('chinook.sqlite'), 'no database any more\n');
      });
      assert.equal(told[0], 'right');
      assert.notEqual(told[1], undefined);
      assert.notEqual(told[1], '');
      assert.deepEqual(
        (await runs()).runs.map(({ done }) => done),
        [2],
      );
    } finally {
      rmSync(pathOf('chinook.sqlite'), { force: true });
      copyFileSync(pathOf('kept.sqlite'), pathOf('chinook.sqlite'));
    }
  });

  it('an evaluation that is killed keeps what was finished, and is told as unfinished', async () => {
    answers({ text: GENRES.sql, delayMs: 600_000 });
    const told = await runBoth(() => {
      const [run] = readdirSync(pathOf('results')).filter((name) => /^\d{8}-/.test(name));
      process.kill(Number(readFileSync(join(pathOf('results'), run ?? '', 'lock'), 'utf8')), 'SIGKILL');
    });
    assert.deepEqual(told, ['right', '']);
    assert.deepEqual(
      (await runs()).runs.map(({ state, done, total }) => [state, done, total]),
      [['unfinished', 1, 2]],
    );
  });

  it('a results folder that cannot be made leaves the questions as they were', async () => {
    write('results', 'a file\n');
    answers(GENRES.sql);
    assert.deepEqual(await runBoth(() => assert.fail('nothing should pass')), [undefined, undefined]);
    assert.equal(readFileSync(pathOf('results'), 'utf8'), 'a file\n');
  });

  it('a ledger that was edited by hand shows the runs that it still has, and what is wrong', async () => {
    answers(GENRES.sql);
    await runBoth(() => {});
    const ledger = join(pathOf('results'), 'ledger.jsonl');
    const line = readFileSync(ledger, 'utf8');
    writeFileSync(ledger, `not a line\n${line}`);
    appendFileSync(ledger, '{"v":1,"ti');
    const { runs: found, problems } = await runs();
    assert.deepEqual(
      found.map(({ state }) => state),
      ['done'],
    );
    assert.ok(problems.length >= 1, 'nothing is said of the line');
  });

  it('a run whose folder was deleted has no report and no comparison, and says so', async () => {
    answers(GENRES.sql);
    await runBoth(() => {});
    const [run] = (await runs()).runs;
    assert.ok(run);
    const { panels } = await ctx.runs();
    await panels.openComparison(run.id, run.id);
    // Tabs are told of after the panel is made: one that comes late would be taken for a panel of the deleted run.
    await untilTabs(() => allTabs().length === 1, 'the comparison');
    rmSync(run.folder, { recursive: true });
    await closeAll();
    await assert.rejects(panels.openReport(run.id), { name: 'AppError' });
    await assert.rejects(panels.openComparison(run.id, run.id), { name: 'AppError' });
    await assert.rejects(panels.openItem(run.id, 'albums'), { code: 'item_gone' });
    await assert.rejects(panels.openItem('20200101-000000-none', 'albums'), { code: 'run_gone' });
    // A panel that was opened after all would have its tab before that of a file that is opened now.
    await vscode.window.showTextDocument(workspaceFile('both.sql-tests.jsonl'));
    await untilTabs(() => activeTab()?.label === 'both.sql-tests.jsonl', 'the tab of the file');
    assert.deepEqual(
      allTabs().map(({ label }) => label),
      ['both.sql-tests.jsonl'],
    );
  });

  describe('Save as Test', () => {
    const test = () => ({
      db: pathOf('chinook.sqlite'),
      question: 'New?',
      evidence: '',
      sql: 'SELECT 1',
      isFollowUp: false,
    });
    const linesOf = (path: string) =>
      readFileSync(path, 'utf8')
        .trimEnd()
        .split(/\r?\n/)
        .map((line): { id: string } => JSON.parse(line).id);

    it('begins a line of its own in a file whose last line has no end', async () => {
      const path = write('a.sql-tests.jsonl', jsonLines(ALBUMS).trimEnd());
      await saveAsTest(ctx, test());
      assert.deepEqual(linesOf(path), ['albums', 'chinook-2']);
    });

    it('keeps what is typed in the editor that is open on the file', async () => {
      const path = write('b.sql-tests.jsonl', `\uFEFF${jsonLines(ALBUMS).replace('\n', '\r\n')}`);
      const editor = await vscode.window.showTextDocument(vscode.Uri.file(path));
      await editor.edit((edit) => edit.insert(new vscode.Position(1, 0), `${JSON.stringify(GENRES)}\n`));
      await saveAsTest(ctx, test());
      assert.match(
        readFileSync(path, 'utf8'),
        /^\uFEFF?\{"id":"albums".*\r\n\{"id":"genres".*\r\n\{"id":"chinook-3".*\r\n$/,
      );
    });

    it('says so where the file is read-only, and leaves it', async () => {
      const path = write('c.sql-tests.jsonl', jsonLines(ALBUMS));
      const settings = vscode.workspace.getConfiguration('files');
      await settings.update('readonlyInclude', { '**/c.sql-tests.jsonl': true }, vscode.ConfigurationTarget.Global);
      try {
        await assert.rejects(saveAsTest(ctx, test()), { code: 'suite_not_saved' });
      } finally {
        await settings.update('readonlyInclude', undefined, vscode.ConfigurationTarget.Global);
      }
      assert.deepEqual(linesOf(path), ['albums']);
      await vscode.commands.executeCommand('workbench.action.files.revert');
    });
  });
});
