import type { Share } from '../../../protocol/score.ts';

/**
 * A report as a tree of blocks, written as Markdown, as HTML or as plain text. All texts are plain: whoever writes them
 * escapes them.
 */
export interface ReportDocument {
  title: string;
  blocks: Block[];
}

/** A cell of a table: plain text, a name that is set as code, or a list of links to details of the page (`to`: their id). */
export type TableCell = string | { code: string } | { links: { text: string; to: string | null }[] };

export interface Table {
  kind: 'table';
  /** `number`: set to the right. */
  columns: { name: string; type: 'text' | 'number' }[];
  rows: TableCell[][];
}

/** A share with its whisker, on a line from 0 to 100 %. */
export interface IntervalRow {
  label: string;
  share: Share;
}

/** A drawing. What it shows stands in the table beside it or in its description, for those who do not see it. */
export type Plot =
  | { kind: 'intervals'; title: string; description: string; rows: IntervalRow[] }
  | { kind: 'pairs'; title: string; description: string; rows: { label: string; a: Share; b: Share }[] }
  | { kind: 'bars'; title: string; description: string; rows: BarRow[] }
  | { kind: 'columns'; title: string; description: string; rows: { label: string; value: number }[] };

export interface BarRow {
  label: string;
  value: number;
  tone: 'good' | 'bad' | 'neutral';
}

export type Block =
  | Table
  | { kind: 'heading'; text: string }
  | { kind: 'text'; text: string }
  /** The sentence that matters most. */
  | { kind: 'lead'; text: string }
  | { kind: 'list'; items: string[] }
  | { kind: 'code'; language: 'sql' | 'text'; text: string }
  /** `id`: what links lead to. */
  | { kind: 'details'; summary: string; blocks: Block[]; id?: string }
  | { kind: 'plot'; plot: Plot };

export function heading(text: string): Block {
  return { kind: 'heading', text };
}

/** @param columns names; one that begins with `#` is of numbers */
export function table(columns: readonly string[], rows: TableCell[][]): Table {
  return {
    kind: 'table',
    columns: columns.map((name) =>
      name.startsWith('#') ? { name: name.slice(1), type: 'number' } : { name, type: 'text' },
    ),
    rows,
  };
}
