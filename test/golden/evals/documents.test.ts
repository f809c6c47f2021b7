import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compareRuns } from '../../../src/core/evals/compare.ts';
import { compareDocument } from '../../../src/core/evals/compare-document.ts';
import { toMarkdown } from '../../../src/core/evals/report/markdown.ts';
import { runDocument } from '../../../src/core/evals/report/run-document.ts';
import { reportOf } from '../../../src/core/evals/report/run-report.ts';
import { finishedRun, twoRuns } from '../../unit/evals/report-runs.ts';

function assertGolden(name: string, text: string): void {
  const golden = fileURLToPath(new URL(name, import.meta.url));
  if (process.env['UPDATE_GOLDEN']) writeFileSync(golden, text);
  assert.ok(existsSync(golden), `UPDATE_GOLDEN=1 writes ${name}`);
  assert.equal(text, readFileSync(golden, 'utf8'), 'UPDATE_GOLDEN=1 rewrites it');
}

describe('golden Markdown of evaluations', () => {
  const { before, after } = twoRuns();
  const a = finishedRun('20261129-210000-small-dev-1a2b', before);
  const { config } = a.line;
  const b = finishedRun('20261129-220000-coder-dev-3c4d', after, {
    started: '2026-11-29T22:00:00.000Z',
    config: { ...config, model: { ...config.model, name: 'coder', base: '1'.repeat(64) } },
  });

  it('of a run', () => {
    assertGolden('report.md', toMarkdown(runDocument(reportOf(b.line, b.records), { failing: 4 })));
  });

  it('of a comparison', () => {
    assertGolden('comparison.md', toMarkdown(compareDocument(compareRuns(a, b), { flips: 2 })));
  });
});
