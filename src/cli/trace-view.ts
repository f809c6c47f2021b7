import { outerInWords, sourceInWords } from '../core/diagnose/trace/words.ts';
import type { Trace, TraceStage } from '../protocol/diagnose.ts';
import type { JsonCell } from '../protocol/value.ts';
import { renderTable } from './table.ts';

const COLUMNS = ['step', 'rows', 'distinct keys', 'fan-out', 'clause'];
const INDENT = '  ';

/** A trace as a table, a line a stage, nested traces indented, with what is to be said of the stages below it. */
export function renderTrace(trace: Trace, width: number): string {
  const rows = rowsOf(trace, 0);
  const widest = Math.max(0, ...rows.map(([, count]) => String(count).length));
  const aligned = rows.map(([step, count, ...rest]) => [step ?? '', String(count).padStart(widest), ...rest]);
  const lines = [renderTable(COLUMNS, aligned, width)];
  const remarks = remarksOf(trace);
  if (remarks.length > 0) lines.push('', ...remarks);
  if (!trace.complete) lines.push('', `Not complete: ${trace.why}`);
  return lines.join('\n');
}

function rowsOf(trace: Trace, depth: number): JsonCell[][] {
  const indent = INDENT.repeat(depth);
  return trace.stages.flatMap((stage) => [
    [
      `${indent}${stage.label}`,
      stage.rowCount ?? '?',
      distinctText(stage),
      fanoutText(stage),
      clauseText(trace, stage),
    ],
    ...(stage.nested ?? []).flatMap((nested) => [
      [`${indent}${INDENT}${sourceInWords(nested.source)}`, '', '', '', outerText(nested)],
      ...rowsOf(nested, depth + 2),
    ]),
  ]);
}

function outerText({ outer }: Trace): string {
  return outer === null ? '' : `for ${outerInWords(outer)}`;
}

/** Only where keys say more than the number of rows does: several aliases, or an alias whose rows repeat. */
function distinctText({ distinct, rowCount, clause }: TraceStage): string {
  const entries = Object.entries(distinct).filter(([, count]) => count !== null);
  const isPlain = entries.length < 2 && entries.every(([, count]) => count === rowCount);
  if (isPlain || !['FROM', 'JOIN', 'WHERE'].includes(clause)) return '';
  return entries.map(([alias, count]) => `${alias} ${count}`).join(', ');
}

function fanoutText({ fanout, driving, multiplies }: TraceStage): string {
  if (fanout === null || driving === null) return '';
  const figure = `${Number(fanout.toFixed(2))} per ${driving}`;
  return multiplies === true ? `${figure} !` : figure;
}

function clauseText({ text }: Trace, { range }: TraceStage): string {
  return text.slice(range.offset, range.offset + range.length).replace(/\s+/g, ' ');
}

function remarksOf(trace: Trace): string[] {
  const remarks = trace.stages.flatMap((stage) => [
    ...joinRemark(stage),
    ...tiesRemark(stage),
    ...stage.notes.map((note) => `${clauseOf(stage)}: ${note}`),
    ...(stage.nested ?? []).flatMap(remarksOf),
  ]);
  return [...new Set(remarks)];
}

function clauseOf({ label, keys, clause }: TraceStage): string {
  const alias = clause === 'JOIN' ? keys.at(-1)?.alias : undefined;
  return alias === undefined ? label : `${label} ${alias}`;
}

function joinRemark(stage: TraceStage): string[] {
  if (stage.multiplies !== true) return [];
  return [`! ${clauseOf(stage)} multiplies: rows from before it stand several times after it.`];
}

function tiesRemark({ ties, label }: TraceStage): string[] {
  if (ties === null) return [];
  const { tied, kept } = ties;
  return [`! ${label} cuts through ${tied} rows that sort alike and keeps ${kept} of them: which is arbitrary.`];
}
