import type { Block, ReportDocument, Table, TableCell } from '../core/evals/report/document.ts';
import { clip, displayWidth, pad, printable } from '../core/text/cells.ts';

const GAP = '  ';
/** A column of text gives way down to this width. */
const NARROWEST = 8;

/** A report for a terminal: tables and sentences; of what is folded in Markdown, its summary alone. */
export function toTerminalText({ title, blocks }: ReportDocument, width: number): string {
  const parts = blocks.map((block) => ({ text: blockText(block, width), isLine: block.kind === 'details' }));
  const shown = [{ text: printable(title), isLine: false }, ...parts.filter(({ text }) => text !== '')];
  return shown
    .map(({ text, isLine }, index) => {
      const next = shown[index + 1];
      if (next === undefined) return text;
      return `${text}${isLine && next.isLine ? '\n' : '\n\n'}`;
    })
    .join('');
}

function blockText(block: Block, width: number): string {
  switch (block.kind) {
    case 'heading': {
      const text = printable(block.text);
      return `${text}\n${'─'.repeat(displayWidth(text))}`;
    }
    case 'text':
    case 'lead':
      return printable(block.text);
    case 'list':
      return block.items.map((item) => `- ${printable(item)}`).join('\n');
    case 'code':
      return `  ${printable(block.text)}`;
    case 'details':
      return `  ${clip(printable(block.summary), width - 2)}`;
    case 'table':
      return tableText(block, width);
    case 'plot':
      return '';
  }
}

function tableText({ columns, rows }: Table, width: number): string {
  const lines = [columns.map(({ name }) => name), ...rows.map((cells) => cells.map(cellText))];
  const widths = columns.map((_, index) =>
    lines.reduce((widest, line) => Math.max(widest, displayWidth(line[index] ?? '')), 0),
  );
  const over = widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length) - width;
  const widest = columns.reduce(
    (best, { type }, index) => (type === 'text' && (widths[index] ?? 0) > (widths[best] ?? 0) ? index : best),
    0,
  );
  if (over > 0) widths[widest] = Math.max(NARROWEST, (widths[widest] ?? 0) - over);
  const text = (line: readonly string[]) =>
    columns
      .map(({ type }, index) => pad(clip(line[index] ?? '', widths[index] ?? 0), widths[index] ?? 0, type === 'number'))
      .join(GAP)
      .trimEnd();
  return lines.map(text).join('\n');
}

function cellText(cell: TableCell): string {
  if (typeof cell === 'string') return printable(cell);
  return printable('code' in cell ? cell.code : cell.links.map(({ text }) => text).join(', '));
}
