import { count, duration, interval, percents, rate } from '../../../protocol/figures.ts';
import { countOf } from '../../signals/describe.ts';
import { outcomeInWords } from '../item-words.ts';
import { type Block, heading, type ReportDocument, table } from './document.ts';
import { groupBlocks } from './group-blocks.ts';
import type { Failing, RunReport } from './run-report.ts';
import { anchorOf, wrongBlocks } from './what-goes-wrong.ts';

export interface RunDocumentOptions {
  /** Most failing items that are shown with their SQL. */
  failing: number;
}

/** A report of a run as a page to be read. */
export function runDocument(report: RunReport, options: RunDocumentOptions): ReportDocument {
  return {
    title: `Evaluation ${report.run_id}`,
    blocks: [
      { kind: 'lead', text: leadOf(report) },
      ...(report.notes.length > 0 ? [{ kind: 'list', items: report.notes } as const] : []),
      ...metrics(report),
      ...outcomes(report),
      ...wrong(report, options.failing),
      ...groupBlocks('By difficulty', 'difficulty', report.by_difficulty, report.metric),
      ...groupBlocks('By database', 'database', report.by_database, report.metric),
      ...linking(report),
      ...cost(report),
      heading('Configuration'),
      table(
        ['setting', 'value'],
        report.settings.map(({ name, value }) => [name, value ?? '–']),
      ),
      { kind: 'code', language: 'text', text: report.command.join(' ') },
      ...failing(report, options.failing),
    ],
  };
}

function leadOf({ model, dataset, split, shares, metric, items }: RunReport): string {
  const what = `${model} on ${dataset}${split === null ? '' : `, split ${split}`}`;
  const headline = shares.find((entry) => entry.metric === metric)?.share;
  if (headline === undefined || headline.of === 0)
    return `${what}: no item has been judged, of ${count(items.chosen)}.`;
  return `${what}: ${rate(headline)} right under ${metric}, ${count(headline.right)} of ${countOf(headline.of, 'item')} (95 % interval ${interval(headline)}).`;
}

function metrics({ shares, soft_f1, r_ves, official_not_strict, fragile, metric }: RunReport): Block[] {
  const rows = shares.map(({ metric: name, share }) => [
    name === metric ? `${name} (headline)` : name,
    `${count(share.right)} of ${count(share.of)}`,
    rate(share),
    interval(share),
  ]);
  if (soft_f1 !== null) rows.push(['soft_f1 (mean)', '', `${percents(soft_f1)} %`, '']);
  if (r_ves !== null) rows.push(['r_ves', '', r_ves.toFixed(1), '']);
  const plot = {
    kind: 'intervals',
    title: 'Execution accuracy by metric',
    description:
      'Share of right answers under each metric with its Wilson interval of 95 %; the table below has the numbers.',
    rows: shares.map(({ metric: label, share }) => ({ label, share })),
  } as const;
  return [
    heading('Accuracy'),
    { kind: 'plot', plot },
    table(['metric', '#right', '#share', '#95 % interval'], rows),
    {
      kind: 'text',
      text: `${countOf(official_not_strict, 'answer')} right under official_ex and wrong under strict_ex: rows that stand twice, or their order, credited anyway.`,
    },
    ...(fragile === null ? [] : [fragileText(fragile)]),
  ];
}

function fragileText({ right, differ }: { right: number; differ: number }): Block {
  const text = `${count(differ)} of ${countOf(right, 'right answer')} stop agreeing with the gold on changed copies of their database: right by luck of the data.`;
  return { kind: 'text', text };
}

function outcomes({ outcomes: all, reasons, errors, items }: RunReport): Block[] {
  const rows = all.map(({ outcome, items: number }) => ({ label: outcomeInWords(outcome), value: number, outcome }));
  const plot = {
    kind: 'bars',
    title: 'What came of the items',
    description: 'Number of items by outcome; the table below has the numbers.',
    rows: rows
      .filter(({ value }) => value > 0)
      .map(({ label, value, outcome }) => ({ label, value, tone: toneOf(outcome) })),
  } as const;
  const share = (number: number) => rate({ right: number, of: items.done });
  return [
    heading('Outcomes'),
    { kind: 'plot', plot },
    table(
      ['outcome', '#items', '#share'],
      rows.map(({ label, value }) => [label, count(value), share(value)]),
    ),
    ...kindsTable('Reasons why answers are not strictly equal to their gold:', 'reason', reasons),
    ...kindsTable('Errors of the answers that have no rows:', 'error', errors),
  ];
}

function wrong({ what_goes_wrong: found, failing: all }: RunReport, most: number): Block[] {
  return found === null ? [] : wrongBlocks(found, new Set(all.slice(0, most).map(({ id }) => id)));
}

function toneOf(outcome: RunReport['outcomes'][number]['outcome']): 'good' | 'bad' | 'neutral' {
  if (outcome === 'right') return 'good';
  return outcome === 'gold_failed' ? 'neutral' : 'bad';
}

function kindsTable(text: string, what: string, kinds: readonly { kind: string; items: number }[]): Block[] {
  if (kinds.length === 0) return [];
  const rows = kinds.map(({ kind, items }) => [{ code: kind }, count(items)]);
  return [{ kind: 'text', text }, table([what, '#items'], rows)];
}

function linking({ linking: found }: RunReport): Block[] {
  if (found === null) return [];
  const { items, all_kept, recall, precision, mean_kept, mean_needed, right_when_kept, right_when_missing } = found;
  return [
    heading('Schema linking'),
    table(
      ['what', '#value', '#95 % interval'],
      [
        ['items with every needed table', `${rate(all_kept)} of ${count(items)}`, interval(all_kept)],
        ['needed tables that were kept (recall)', `${percents(recall)} %`, ''],
        ['kept tables that were needed (precision)', `${percents(precision)} %`, ''],
        ['tables kept, mean', mean_kept.toFixed(1), ''],
        ['tables needed, mean', mean_needed.toFixed(1), ''],
        ['right where every needed table was kept', shareText(right_when_kept), interval(right_when_kept)],
        ['right where one was missing', shareText(right_when_missing), interval(right_when_missing)],
      ],
    ),
  ];
}

function shareText(share: { right: number; of: number }): string {
  return share.of === 0 ? '–' : `${rate(share)} of ${count(share.of)}`;
}

function cost({ tokens, turns, time, items }: RunReport): Block[] {
  const perItem = (total: number) => (items.done === 0 ? '–' : (total / items.done).toFixed(1));
  const told = (total: number | null) => (total === null ? ['not told', '–'] : [count(total), perItem(total)]);
  const span = (ms: number | null) => (ms === null ? '–' : duration(ms));
  const plot = {
    kind: 'columns',
    title: 'Time of an item',
    description: `Items by the time that the agent took: ${time.histogram.map(stepText).join(', ')}.`,
    rows: time.histogram.map(({ from_ms, items: value }) => ({ label: edgeText(from_ms), value })),
  } as const;
  return [
    heading('Cost'),
    table(
      ['what', '#total', '#an item'],
      [
        ['prompt tokens', ...told(tokens.prompt)],
        ['completion tokens', ...told(tokens.completion)],
        ['turns', count(turns.total), turns.mean.toFixed(2)],
        ['time of the items', duration(time.items_ms), span(items.done === 0 ? null : time.items_ms / items.done)],
        ['median time', '', span(time.median_ms)],
        ['95th percentile', '', span(time.p95_ms)],
        ['longest', '', span(time.longest_ms)],
        ['time of the run', duration(time.run_ms), ''],
      ],
    ),
    { kind: 'plot', plot },
    table(
      ['turns', '#items', '#right', '#95 % interval'],
      turns.counts.map((entry) => [String(entry.turns), count(entry.items), rate(entry.right), interval(entry.right)]),
    ),
  ];
}

type Step = RunReport['time']['histogram'][number];

function stepText({ from_ms, to_ms, items }: Step): string {
  return `${count(items)} from ${edgeText(from_ms)} to ${edgeText(to_ms)}`;
}

function edgeText(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
}

function failing({ failing: all, what_goes_wrong }: RunReport, most: number): Block[] {
  if (all.length === 0) return [heading('Items that are not right'), { kind: 'text', text: 'None.' }];
  const rest = all.length - Math.min(most, all.length);
  return [
    heading(`Items that are not right (${count(all.length)})`),
    ...all.slice(0, most).map((item) => failingBlock(item, what_goes_wrong !== null)),
    ...(rest > 0 ? [{ kind: 'text', text: `${count(rest)} more are not shown.` } as const] : []),
  ];
}

/** @param linked something in the page leads to it */
function failingBlock(item: Failing, linked: boolean): Block {
  const { id, db_id, question, evidence, gold, sql, outcome, why } = item;
  const blocks: Block[] = [{ kind: 'text', text: why }];
  if (evidence !== '') blocks.push({ kind: 'text', text: `Evidence: ${evidence}` });
  blocks.push({ kind: 'text', text: 'Gold' }, { kind: 'code', language: 'sql', text: gold });
  if (sql !== null) blocks.push({ kind: 'text', text: 'Predicted' }, { kind: 'code', language: 'sql', text: sql });
  const summary = `${id} · ${db_id} · ${outcomeInWords(outcome)} · ${question}`;
  return { kind: 'details', summary, blocks, ...(linked ? { id: anchorOf(id) } : {}) };
}
