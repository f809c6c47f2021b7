import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { toHtml } from '../../../../src/core/evals/report/html.ts';
import { runDocument } from '../../../../src/core/evals/report/run-document.ts';
import { reportOf } from '../../../../src/core/evals/report/run-report.ts';
import { reportPage } from '../../../../src/host/runs/report-html.ts';
import { finishedRun, twoRuns } from '../../evals/report-runs.ts';

describe('a report in the editor', () => {
  const { line, records } = finishedRun('run', twoRuns().before);
  const page = reportPage(toHtml(runDocument(reportOf(line, records), { failing: 20 })));
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';

  it('is under a policy that lets through its own style sheets by their hashes, and nothing else', () => {
    const sheets = [...page.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, text = '']) => text);
    assert.equal(sheets.length, 2);
    const hashes = sheets.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
    assert.equal(policy, `default-src 'none'; style-src ${hashes.join(' ')}`);
  });

  it('needs nothing that the policy refuses: no script, no style in an attribute, nothing loaded', () => {
    assert.doesNotMatch(page, /<script|<img|<link|<iframe|<[^>]* style=|<[^>]* on\w+=|<[^>]* (src|href)=/i);
  });

  it('has the colours of the theme behind its own', () => {
    assert.ok(page.lastIndexOf('--page: var(--vscode-editor-background)') > page.indexOf('--page: #'));
  });
});
