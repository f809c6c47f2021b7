import { printable } from '../../text/cells.ts';
import type { Block, ReportDocument, Table, TableCell } from './document.ts';
import { escapeHtml } from './escape-html.ts';

/** Characters that mean something in GitHub's Markdown, in HTML within it, or in its tables; `_` not within a word. */
const SPECIAL = /[\\`*[\]<>&|~#$@]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** A report in GitHub's Markdown. Drawings are left out; what they show stands in the tables. */
export function toMarkdown({ title, blocks }: ReportDocument): string {
  return `${[`# ${inline(title)}`, ...blocks.flatMap(blockLines)].join('\n\n')}\n`;
}

/** Text of others in one line, in which nothing is markup. */
export function inline(text: string): string {
  return printable(text.trim().replace(/\s+/g, ' ')).replace(SPECIAL, '\\$&');
}

/** A name as code: the fence is longer than any in it. Pipes end a table's cell in code too. */
export function codeSpan(text: string): string {
  const line = printable(text.replace(/\s+/g, ' '));
  if (line.trim() === '') return '';
  const fence = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`.replaceAll('|', '\\|');
}

function codeBlock(language: string, text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  const lines = text.split(/\r\n|[\r\n\u2028\u2029]/).map((line) => printable(line.replaceAll('\t', '  ')));
  return `${fence}${language}\n${lines.join('\n')}\n${fence}`;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

function blockLines(block: Block): string[] {
  switch (block.kind) {
    case 'heading':
      return [`## ${inline(block.text)}`];
    case 'text':
      return [paragraph(block.text)];
    case 'lead':
      return [`**${inline(block.text)}**`];
    case 'list':
      return [block.items.map((item) => `- ${paragraph(item)}`).join('\n')];
    case 'code':
      return [codeBlock(block.language, block.text)];
    case 'table':
      return [tableLines(block)];
    case 'details': {
      const inner = block.blocks.flatMap(blockLines).join('\n\n');
      const id = block.id === undefined ? '' : ` id="${escapeHtml(block.id)}"`;
      return [`<details${id}>\n<summary>${escapeHtml(block.summary)}</summary>\n\n${inner}\n\n</details>`];
    }
    case 'plot':
      return [];
  }
}

/** A line of text; what would make a list or a heading of it is no markup. */
function paragraph(text: string): string {
  return inline(text).replace(/^([-+=]|\d+[.)])/, (start) => `${start.slice(0, -1)}\\${start.slice(-1)}`);
}

function tableLines({ columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ name }) => inline(name))),
    line(columns.map(({ type }) => (type === 'number' ? '---:' : '---'))),
    ...rows.map((cells) => line(cells.map(cellText))),
  ].join('\n');
}

function cellText(cell: TableCell): string {
  if (typeof cell === 'string') return inline(cell);
  if ('code' in cell) return codeSpan(cell.code);
  return cell.links.map(({ text, to }) => (to === null ? inline(text) : `[${inline(text)}](#${to})`)).join(', ');
}
