import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import { EvalTelling } from '../../src/host/tests/eval-telling.ts';
import { EvalTests } from '../../src/host/tests/provider.ts';
import type { ItemRecord } from '../../src/protocol/eval.ts';
import type { RowCount } from '../../src/protocol/score.ts';
import { itemRecord } from '../unit/evals/report-runs.ts';
import { evalEntry } from '../unit/ledger/support/entry.ts';
import { testApi } from './support/extension.ts';
import { workspaceFile } from './support/tabs.ts';

const ITEMS = 10_000;
const DATABASES = 20;
const RUN_ID = '20261129-213005-small-dev-4f2a';

function suiteText(): string {
  const lines = Array.from({ length: ITEMS }, (_, index) =>
    JSON.stringify({
      id: `q${index}`,
      database: `database-${index % DATABASES}.sqlite`,
      question: `What is the name and the country of the singers of concert number ${index}?`,
      sql: `SELECT name, country FROM singer WHERE id = ${index}`,
      difficulty: ['simple', 'moderate', 'challenging'][index % 3],
    }),
  );
  return `${lines.join('\n')}\n`;
}

/** So many rows that each side of the difference is cut, near 2 KB. */
function rowsOf(side: 'gold' | 'pred'): RowCount[] {
  return Array.from({ length: 20 }, (_, row) => ({
    row: [`${side}: a singer with a long name, ${row}`, 'A country with another long name', row * 1000],
    gold: side === 'gold' ? 1 : 0,
    pred: side === 'gold' ? 0 : 1,
  }));
}

function recordOf(index: number): ItemRecord {
  if (index % 10 >= 3) return itemRecord(`q${index}`, 'right');
  const columns = ['name', 'country', 'sum(amount)'];
  return itemRecord(`q${index}`, 'wrong_rows', {
    diff: {
      goldColumns: columns,
      predColumns: columns,
      goldRows: 40,
      predRows: 40,
      missing: rowsOf('gold'),
      extra: rowsOf('pred'),
      recounted: [],
      totals: { missing: 40, extra: 40, recounted: 0 },
      reordered: false,
    },
  });
}

/** VS Code gathers changes of items for so long before it sends them to the window. */
const GATHERED_MS = 250;

/** Ends when the window has dealt with all that it was sent before: messages are dealt with in order. */
async function settled(): Promise<void> {
  await setTimeout(GATHERED_MS);
  await vscode.commands.executeCommand('setContext', 'sqlAgent.measured', Math.random());
}

async function timed(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  await settled();
  return performance.now() - started;
}

/** Resident memory of this process, the extension host, in MB. */
function memoryMb(): number {
  return process.memoryUsage().rss / 2 ** 20;
}

/** Measures a big suite in the Test Explorer, by the code that tells VS Code of a real run (bench/test-explorer.bench.ts). */
export async function run(): Promise<void> {
  const { ctx } = await testApi();
  const path = workspaceFile('big.sql-tests.jsonl').fsPath;
  writeFileSync(path, suiteText());
  for (let index = 0; index < DATABASES; index += 1)
    writeFileSync(workspaceFile(`database-${index}.sqlite`).fsPath, '');
  const controller = vscode.tests.createTestController('test.measured', 'Measured');
  const tests = new EvalTests(ctx, controller);
  await vscode.commands.executeCommand('workbench.view.testing.focus');
  await tests.resolve(undefined);
  const root = controller.items.get(path);
  assert.ok(root);
  const databasesMs = await timed(() => tests.resolve(root));
  const questionsMs = await timed(() => tests.showFile(vscode.Uri.file(path)));
  const [suite] = await tests.suites();
  assert.equal(suite?.itemsOf({ kind: 'suite', suite }).length, ITEMS);
  const { config, summary } = evalEntry(RUN_ID);
  const beforeMb = memoryMb();
  const processor = process.cpuUsage();
  const share = { right: 0, of: 0, low: 0, high: 1 };
  const runMs = await timed(async () => {
    const run = controller.createTestRun(new vscode.TestRunRequest([root]), 'measured', false);
    const telling = new EvalTelling(run, suite, true);
    await telling.take({ type: 'started', run_id: RUN_ID, folder: '/results', total: ITEMS, resumed: 0, config });
    for (let done = 1; done <= ITEMS; done += 1)
      await telling.take({ type: 'item', record: recordOf(done - 1), done, total: ITEMS, etaMs: null, share });
    await telling.take({ type: 'ended', state: 'done', run_id: RUN_ID, summary });
    await telling.end();
    run.end();
  });
  const { user, system } = process.cpuUsage(processor);
  const result = {
    databasesMs,
    questionsMs,
    runMs,
    processorMs: (user + system) / 1000,
    beforeMb,
    afterMb: memoryMb(),
  };
  appendFileSync(process.env['SQL_AGENT_RESULT'] ?? '', `${JSON.stringify(result)}\n`);
}
