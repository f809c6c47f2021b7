import type { Answer, ComparedGroup, ComparedRun, Comparison, Flip } from '../../protocol/compare.ts';
import { count, interval, pEquation, points, rate } from '../../protocol/figures.ts';
import { countOf } from '../signals/describe.ts';
import { outcomeInWords } from './item-words.ts';
import { type Block, heading, type ReportDocument, type TableCell, table } from './report/document.ts';

export interface CompareDocumentOptions {
  /** Most items of each list of flips that are shown with their SQL. */
  flips: number;
}

/** A comparison as a page to be read. */
export function compareDocument(comparison: Comparison, options: CompareDocumentOptions): ReportDocument {
  const { a, b, sentence, notes, metric } = comparison;
  return {
    title: `${b.model} (B) against ${a.model} (A)`,
    blocks: [
      { kind: 'lead', text: sentence },
      runsTable(comparison),
      { kind: 'text', text: `Right means right under ${metric}. A is before, B is after. Intervals are of 95 %.` },
      ...(notes.length > 0 ? [{ kind: 'list', items: notes } as const] : []),
      heading('Items'),
      outcomesTable(comparison),
      { kind: 'text', text: method(comparison) },
      ...settings(comparison),
      ...groups('By difficulty', 'difficulty', comparison.by_difficulty),
      ...groups('By database', 'database', comparison.by_database),
      ...flips('Gained: only B is right', comparison.gained, options.flips),
      ...flips('Lost: only A is right', comparison.lost, options.flips),
    ],
  };
}

function runsTable({ a, b, items }: Comparison): Block {
  const row = (name: string, run: ComparedRun): TableCell[] => [
    name,
    run.model,
    { code: run.run_id },
    run.split === null ? run.dataset : `${run.dataset}, split ${run.split}`,
    `${count(run.share.right)} of ${count(items.compared)}`,
    rate(run.share),
    interval(run.share),
  ];
  const columns = ['', 'model', 'run', 'dataset', '#right', '#EX', '#interval'];
  return table(columns, [row('A', a), row('B', b)]);
}

function outcomesTable({ both_right, both_wrong, gained, lost }: Comparison): Block {
  return table(
    ['', '#B right', '#B wrong'],
    [
      ['A right', count(both_right), count(lost.length)],
      ['A wrong', count(gained.length), count(both_wrong)],
    ],
  );
}

function method({ p, difference, gained, lost }: Comparison): string {
  const { value, low, high, clusters, resamples, seed } = difference;
  const ends =
    low === null || high === null
      ? 'no interval, as all items are of one database'
      : `interval ${points(low)} to ${points(high)} by ${count(resamples)} resamples of the ${clusters} databases (seed ${seed})`;
  return `Difference ${points(value)} points, ${ends}. Exact McNemar test on ${countOf(gained.length + lost.length, 'flip')}: ${pEquation(p)}.`;
}

function settings({ settings: differing }: Comparison): Block[] {
  if (differing.length === 0) return [];
  const rows = differing.map(({ name, a, b }) => [name, a ?? '–', b ?? '–']);
  return [heading('What differs in the runs'), table(['setting', 'A', 'B'], rows)];
}

function groups(title: string, what: string, all: readonly ComparedGroup[]): Block[] {
  if (all.length === 0) return [];
  const rows = all.map(({ name, items, a, b, gained, lost }) => [
    what === 'database' ? { code: name } : name,
    count(items),
    rate(a),
    interval(a),
    rate(b),
    interval(b),
    points((b.right - a.right) / items),
    count(gained),
    count(lost),
  ]);
  const columns = [what, '#items', '#A', '#A interval', '#B', '#B interval', '#B - A', '#gained', '#lost'];
  const plot = {
    kind: 'pairs',
    title,
    description: `Share of right answers of A and of B by ${what}, with intervals of 95 %; the table below has the numbers.`,
    rows: all.map(({ name, a, b }) => ({ label: name, a, b })),
  } as const;
  return [heading(title), { kind: 'plot', plot }, table(columns, rows)];
}

function flips(title: string, all: readonly Flip[], most: number): Block[] {
  if (all.length === 0) return [heading(title), { kind: 'text', text: 'None.' }];
  const shown = all.slice(0, most);
  const rest = all.length - shown.length;
  return [
    heading(`${title} (${count(all.length)})`),
    ...shown.map(flipBlock),
    ...(rest > 0 ? [{ kind: 'text', text: `${count(rest)} more are not shown.` } as const] : []),
  ];
}

function flipBlock({ id, db_id, question, gold, a, b }: Flip): Block {
  return {
    kind: 'details',
    summary: `${id} · ${db_id} · ${question}`,
    blocks: [
      { kind: 'text', text: 'Gold' },
      { kind: 'code', language: 'sql', text: gold },
      ...answer('A', a),
      ...answer('B', b),
    ],
  };
}

function answer(name: string, { sql, outcome, reason }: Answer): Block[] {
  const why = outcome === 'right' || reason === null ? '' : ` (${reason})`;
  const said: Block = { kind: 'text', text: `${name}: ${outcomeInWords(outcome)}${why}` };
  return sql === null ? [said] : [said, { kind: 'code', language: 'sql', text: sql }];
}
