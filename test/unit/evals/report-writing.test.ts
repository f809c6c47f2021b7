import assert from 'node:assert/strict';
import { toTerminalText } from '../../../src/cli/report-text.ts';
import { compareRuns } from '../../../src/core/evals/compare.ts';
import { compareDocument } from '../../../src/core/evals/compare-document.ts';
import { heading, type ReportDocument, table } from '../../../src/core/evals/report/document.ts';
import { toHtml } from '../../../src/core/evals/report/html.ts';
import { codeSpan, inline, toMarkdown } from '../../../src/core/evals/report/markdown.ts';
import { runDocument } from '../../../src/core/evals/report/run-document.ts';
import { reportOf } from '../../../src/core/evals/report/run-report.ts';
import { duration, points, pValue } from '../../../src/protocol/figures.ts';
import { finishedRun, itemRecord, twoRuns } from './report-runs.ts';

const HOSTILE = '</code><script>alert(1)</script> | "x" & \'y\' `z` **b**\n# title\r\n- \u202e\u0007';

/** A page with a text of others at every place that takes one. */
function hostilePage(): ReportDocument {
  return {
    title: HOSTILE,
    blocks: [
      { kind: 'lead', text: HOSTILE },
      heading(HOSTILE),
      { kind: 'text', text: HOSTILE },
      { kind: 'list', items: [HOSTILE] },
      { kind: 'code', language: 'sql', text: `${HOSTILE}\n\`\`\`\nout of the block` },
      { kind: 'details', summary: HOSTILE, blocks: [{ kind: 'text', text: HOSTILE }] },
      table([HOSTILE, '#n'], [[HOSTILE, { code: HOSTILE }]]),
      {
        kind: 'plot',
        plot: {
          kind: 'bars',
          title: HOSTILE,
          description: HOSTILE,
          rows: [{ label: HOSTILE, value: 1, tone: 'good' }],
        },
      },
    ],
  };
}

describe('writing a report', () => {
  it('as HTML: texts of others are text wherever they stand', () => {
    const html = toHtml(hostilePage());
    assert.doesNotMatch(html, /<script/i);
    assert.ok(html.split('&lt;script&gt;alert(1)').length - 1 >= 10);
    assert.ok(!html.includes('\u202e') && !html.includes('\u0007'));
    assert.match(html, /default-src 'none'/);
    assert.doesNotMatch(html, /\b(?:src|href)=/);
  });

  it('as Markdown: texts of others stay in their line, cell and block', () => {
    const markdown = toMarkdown(hostilePage());
    const lines = markdown.split('\n');
    // Only the three lines of the table begin with a bar, and no unescaped bar is within a cell.
    const rows = lines.filter((line) => line.startsWith('|'));
    assert.equal(rows.length, 3);
    for (const row of rows) assert.equal(row.match(/(?<!\\)\|/g)?.length, 3);
    const fence = lines.findIndex((line) => line.startsWith('````sql'));
    const end = lines.findIndex((line, index) => index > fence && line === '````');
    assert.equal(lines[end - 1], 'out of the block');
    const outside = [...lines.slice(0, fence), ...lines.slice(end)].join('\n').replaceAll(/(`+).*?\1/g, '');
    assert.doesNotMatch(outside, /(?<!\\)<script/);
    assert.ok(!markdown.includes('\u202e') && !markdown.includes('\u0007'));
  });

  it('as Markdown: nothing in a line of text is markup, and names keep their underscores', () => {
    assert.equal(inline('official_ex of _x_ * [a](b) <b>'), String.raw`official_ex of \_x\_ \* \[a\](b) \<b\>`);
    assert.equal(codeSpan('a`b'), '``a`b``');
    assert.equal(codeSpan('`a|b'), '`` `a\\|b ``');
    const page = { title: 't', blocks: ['- a', '1. b', '+ c'].map((text) => ({ kind: 'text', text }) as const) };
    assert.deepEqual(toMarkdown(page).split('\n\n').slice(1), [String.raw`\- a`, String.raw`1\. b`, '\\+ c\n']);
  });

  it('of any size: hundreds of thousands of backticks, hundreds of thousands of rows', () => {
    const code = '`a'.repeat(300_000);
    const page = { title: 't', blocks: [{ kind: 'code', language: 'sql', text: code } as const] };
    assert.ok(toMarkdown(page).includes(code));
    const rows = Array.from({ length: 200_000 }, (_, index) => [`db${index}`, '1']);
    const text = toTerminalText({ title: 't', blocks: [table(['database', '#n'], rows)] }, 80);
    assert.match(text, /\ndb199999 +1/);
  });

  it('as HTML: every drawing has a title and a description of its own', () => {
    const { before } = twoRuns();
    const html = toHtml(runDocument(reportOf(finishedRun('run', before).line, before), { failing: 10 }));
    const drawings = html.match(/<svg role="img"/g) ?? [];
    assert.equal(drawings.length, 5);
    const named = [...html.matchAll(/aria-labelledby="(\S+) (\S+)"/g)].flatMap(([, title, text]) => [title, text]);
    assert.equal(named.length, 10);
    for (const id of named) assert.equal(html.split(`id="${id}"`).length, 2, id);
    assert.doesNotMatch(html, /NaN|undefined|Infinity/);
  });

  it('shows as many failing items as asked for and counts the rest', () => {
    const records = Array.from({ length: 8 }, (_, index) => itemRecord(`q${index}`, 'wrong_rows'));
    const page = runDocument(reportOf(finishedRun('run', records).line, records), { failing: 3 });
    assert.equal(toMarkdown(page).split('<details>').length - 1, 3);
    assert.match(toMarkdown(page), /5 more are not shown\./);
  });

  it('is defined where nothing was judged', () => {
    const page = runDocument(reportOf(finishedRun('run', []).line, []), { failing: 3 });
    assert.match(toMarkdown(page), /no item has been judged/);
    assert.doesNotMatch(toMarkdown(page) + toHtml(page), /NaN|undefined|Infinity/);
    const failed = [itemRecord('a', 'gold_failed')];
    const other = runDocument(reportOf(finishedRun('run', failed).line, failed), { failing: 3 });
    assert.doesNotMatch(toMarkdown(other) + toHtml(other), /NaN|undefined|Infinity/);
  });

  it('draws both runs of a comparison', () => {
    const { before, after } = twoRuns();
    const comparison = compareRuns(finishedRun('a', before), finishedRun('b', after));
    const html = toHtml(compareDocument(comparison, { flips: 2 }));
    assert.equal(html.match(/<circle class="a" cx="[\d.]+%"/g)?.length, 9);
    assert.equal(html.match(/<circle class="b" cx="[\d.]+%"/g)?.length, 9);
  });

  it('says numbers as people write them', () => {
    assert.deepEqual([0.031, -0.0004, -0.12].map(points), ['+3.1', '0.0', '-12.0']);
    assert.deepEqual([1, 0.553, 0.0213, 0.00999, 0.0001].map(pValue), ['1.00', '0.55', '0.021', '0.01', '< 0.001']);
    assert.deepEqual([0.25, 850, 999.7, 12_340, 59_960, 250_000, 7_500_000].map(duration), [
      '0.3 ms',
      '850 ms',
      '1.0 s',
      '12.3 s',
      '1 min 0 s',
      '4 min 10 s',
      '2 h 5 min',
    ]);
  });
});
