import { alignStages } from '../core/diagnose/align/side-by-side.ts';
import { sourceInWords } from '../core/diagnose/trace/words.ts';
import type { TraceStage } from '../protocol/diagnose.ts';
import type { Diagnosis, Finding, Inspection, Repair, TrailRow } from '../protocol/diagnosis.ts';
import type { Position } from '../protocol/query.ts';
import type { JsonCell } from '../protocol/value.ts';
import { excerpt } from './query-failure.ts';
import { renderTable } from './table.ts';

/** The two texts of a diagnosis. */
export interface DiagnosedTexts {
  readonly gold: string;
  readonly pred: string;
}

/** Rows of a list that are printed. */
const SHOWN_ROWS = 5;
const SHOWN_FINDINGS = 5;

/** A diagnosis as text for a terminal. @param isRepairSought a repair was looked for */
export function renderDiagnosis(
  diagnosis: Diagnosis,
  texts: DiagnosedTexts,
  width: number,
  isRepairSought: boolean,
): string {
  const { verdict, sentence, range, taxonomy, repair, complete, why } = diagnosis;
  const blocks = [
    [sentence, ...marked(texts.pred, range)],
    stageLines(diagnosis, texts, width),
    ...nestedLines(diagnosis, width),
    trailLines(
      'Missing: what the gold has and the prediction has not',
      diagnosis.missing,
      diagnosis.totals.missing,
      width,
    ),
    trailLines(
      'Too much: what the prediction has and the gold has not',
      diagnosis.extra,
      diagnosis.totals.extra,
      width,
    ),
    taxonomy.length === 0 ? [] : ['What is wrong', ...findingLines(taxonomy.slice(0, SHOWN_FINDINGS))],
    repair !== null
      ? repairLines(repair)
      : isRepairSought && verdict === 'different'
        ? ["Repair: none found; up to three small edits do not give the gold's rows."]
        : [],
    complete || why === null ? [] : [`Not complete: ${why}`],
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function marked(sql: string, range: Position | null): string[] {
  return range === null || range.length === 0 ? [] : [excerpt(sql, range)];
}

/** The stages of both queries side by side; `>` marks where they part. */
function stageLines({ stages, stage, goldStage }: Diagnosis, texts: DiagnosedTexts, width: number): string[] {
  return sideBySide({ ...stages, stage, goldStage }, texts, width);
}

/** The same of each query on the way to nested stages that part. */
function nestedLines({ stages, stage, goldStage, nested }: Diagnosis, width: number): string[][] {
  let [pred, gold] = [stages.pred[stage ?? -1], stages.gold[goldStage ?? -1]];
  return nested.map((part) => {
    const own = pred?.nested?.[part.pred.trace];
    const beside = part.gold === null ? undefined : gold?.nested?.[part.gold.trace];
    const inner = { gold: beside?.stages ?? [], pred: own?.stages ?? [] };
    [pred, gold] = [inner.pred[part.pred.stage], inner.gold[part.gold?.stage ?? -1]];
    const parts = { ...inner, stage: part.pred.stage, goldStage: part.gold?.stage ?? null };
    const title = own === undefined ? '' : `Inside the ${sourceInWords(own.source)}`;
    return [title, ...sideBySide(parts, { gold: beside?.text ?? '', pred: own?.text ?? '' }, width)];
  });
}

interface Sides extends Pick<Diagnosis, 'stage' | 'goldStage'> {
  readonly gold: readonly TraceStage[];
  readonly pred: readonly TraceStage[];
}

function sideBySide({ stage, goldStage, ...stages }: Sides, texts: DiagnosedTexts, width: number): string[] {
  if (stages.gold.length + stages.pred.length === 0) return [];
  const lines = alignStages(stages.gold, stages.pred);
  const rows = lines.map(({ gold, pred }): JsonCell[] => {
    const isFirst = (pred !== null && pred === stage) || (gold !== null && gold === goldStage);
    return [
      isFirst ? '>' : '',
      ...stageCells(stages.pred, pred, texts.pred),
      ...stageCells(stages.gold, gold, texts.gold),
    ];
  });
  return [renderTable(['', 'rows', 'prediction', 'rows', 'gold'], rows, width)];
}

function stageCells(stages: readonly TraceStage[], index: number | null, sql: string): JsonCell[] {
  const stage = index === null ? undefined : stages[index];
  if (stage === undefined) return ['', ''];
  const text = sql.slice(stage.range.offset, stage.range.offset + stage.range.length).replace(/\s+/g, ' ');
  return [stage.rowCount === null ? '?' : String(stage.rowCount), text];
}

function trailLines(title: string, rows: readonly TrailRow[], total: number, width: number): string[] {
  if (rows.length === 0) return [];
  const shown = rows.slice(0, SHOWN_ROWS);
  const names = [...new Set(shown.flatMap(({ cells }) => cells.map(({ name }) => name)))];
  const hasTruths = shown.some(({ conjuncts }) => conjuncts.length > 0);
  const table = shown.map(({ cells, conjuncts }): JsonCell[] => {
    const known = new Map(cells.map(({ name, value }) => [name, value]));
    const truths = conjuncts.map(({ text, truth }) => `${text.replace(/\s+/g, ' ')}: ${truth}`).join('; ');
    return [...names.map((name) => known.get(name) ?? null), ...(hasTruths ? [truths] : [])];
  });
  const more = total > shown.length ? `, ${shown.length} of them here` : '';
  const count = total === 1 ? '1 row' : `${total} rows`;
  return [
    `${title} (${count}${more})`,
    renderTable([...names, ...(hasTruths ? [`at ${dyingClauses(shown)} of the other query`] : [])], table, width),
  ];
}

function dyingClauses(rows: readonly TrailRow[]): string {
  return [...new Set(rows.flatMap(({ dies }) => (dies === null ? [] : [dies.clause])))].join(', ');
}

/** A line a sentence: kinds of which the same is said stand before it together. */
function findingLines(findings: readonly Finding[]): string[] {
  return [...new Set(findings.map(({ sentence }) => sentence))].map((sentence) => {
    const same = findings.filter((finding) => finding.sentence === sentence);
    return `  ${same.map(kindWords).join(', ')}: ${sentence}`;
  });
}

function kindWords({ class: kind, confidence }: Finding): string {
  const sure = confidence >= 0.9 ? 'shown by running it' : confidence >= 0.5 ? 'likely' : 'perhaps';
  return `${kind.replaceAll('_', ' ')} (${sure})`;
}

function repairLines({ edits, sql, certain }: Repair): string[] {
  const count = edits.length === 1 ? '1 edit' : `${edits.length} edits`;
  const sure = certain ? '' : ', perhaps by chance';
  return [
    `Repair: ${count} give the gold's rows${sure}`.replace('1 edit give', '1 edit gives'),
    ...edits.map(({ sentence, before, after }) => `  ${sentence}   ${quoted(before)} → ${quoted(after)}`),
    '',
    `  ${sql.trim().replaceAll('\n', '\n  ')}`,
  ];
}

function quoted(text: string): string {
  return text.trim() === '' ? '(nothing)' : text.trim().replace(/\s+/g, ' ');
}

/** What a query alone shows, as text for a terminal. */
export function renderInspection(inspection: Inspection, sql: string, width: number): string {
  const { sentence, hints, stages, complete, why, range } = inspection;
  const table = stages.map((_, index) => stageCells(stages, index, sql));
  const blocks = [
    [sentence, ...marked(sql, range)],
    stages.length === 0 ? [] : [renderTable(['rows', 'clause'], table, width)],
    ...hints.map((hint) => [hint.sentence, ...marked(sql, hint.range)]),
    complete || why === null ? [] : [`Not complete: ${why}`],
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}
