import { alignStages } from '../../core/diagnose/align/side-by-side.ts';
import type { TraceStage } from '../../protocol/diagnose.ts';
import type { Diagnosis, Finding, Inspection } from '../../protocol/diagnosis.ts';
import type { DiagnosisView, FindingView, InspectionView, StepLine } from '../../protocol/diagnosis-view.ts';
import { cutCell } from '../ask/cut.ts';
import { stepOf } from './steps.ts';

/** Most characters of a value that shows something. */
const LONGEST = 120;

function wordsOf(value: unknown): string {
  const text = Array.isArray(value) ? value.map(String).join(', ') : String(value);
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/** What shows a finding, without what its sentence says already. */
function evidenceOf({ sentence, evidence }: Finding): string[] {
  const { pred, gold, pred_rows: predRows, gold_rows: goldRows } = evidence;
  const texts = [
    ['prediction', pred],
    ['gold', gold],
  ] as const;
  const said = texts
    .filter(([, value]) => typeof value === 'string' && value !== '' && !sentence.includes(value))
    .map(([name, value]) => `${name}: ${wordsOf(value)}`);
  const isCounted =
    typeof predRows === 'number' && typeof goldRows === 'number' && !sentence.includes(`${goldRows} row`);
  return [...said, ...(isCounted ? [`${predRows} rows instead of ${goldRows}`] : [])];
}

function findingOf(finding: Finding): FindingView {
  const { class: kind, sentence, range, goldRange, confidence } = finding;
  return { class: kind, sentence, range, goldRange, confidence, evidence: evidenceOf(finding) };
}

/** The nested stage of one side at which the rows part; null where they part at a stage of its own. */
function nestedParting({ stages, stage, goldStage, nested }: Diagnosis, side: 'gold' | 'pred'): TraceStage | null {
  if (nested.length === 0) return null;
  let at = stages[side][(side === 'pred' ? stage : goldStage) ?? -1];
  for (const part of nested) {
    const place = part[side];
    at = place === null ? undefined : at?.nested?.[place.trace]?.stages[place.stage];
  }
  return at ?? null;
}

function linesOf(diagnosis: Diagnosis, texts: { gold: string; pred: string }): StepLine[] {
  const { stages, stage, goldStage } = diagnosis;
  const [goldParting, predParting] = [nestedParting(diagnosis, 'gold'), nestedParting(diagnosis, 'pred')];
  return alignStages(stages.gold, stages.pred).map(({ gold, pred }) => {
    const [goldStep, predStep] = [
      gold === null ? undefined : stages.gold[gold],
      pred === null ? undefined : stages.pred[pred],
    ];
    return {
      gold: goldStep === undefined ? null : stepOf(goldStep, texts.gold, goldParting),
      pred: predStep === undefined ? null : stepOf(predStep, texts.pred, predParting),
      parts: (pred !== null && pred === stage) || (gold !== null && gold === goldStage),
    };
  });
}

/** A diagnosis as a view shows it. @param texts the queries that it is of */
export function viewOfDiagnosis(diagnosis: Diagnosis, texts: { gold: string; pred: string }): DiagnosisView {
  const { verdict, sentence, range, totals, repair, message, effort, complete, why, stages, goldStage } = diagnosis;
  const rows = (list: Diagnosis['missing']) =>
    list.map((row) => ({ ...row, cells: row.cells.map(({ name, value }) => ({ name, value: cutCell(value) })) }));
  return {
    verdict,
    sentence,
    range,
    goldRange: goldStage === null ? null : (stages.gold[goldStage]?.range ?? null),
    lines: linesOf(diagnosis, texts),
    missing: rows(diagnosis.missing),
    extra: rows(diagnosis.extra),
    totals,
    findings: diagnosis.taxonomy.map(findingOf),
    repair,
    incomplete: complete ? null : why,
    message,
    queries: effort.queries,
    ms: effort.ms,
  };
}

/** What a query alone shows, as a view shows it. */
export function viewOfInspection(inspection: Inspection, sql: string): InspectionView {
  const { sentence, hints, stages, complete, why, range } = inspection;
  return {
    sentence,
    hints: hints.map(({ kind, sentence: said, range: place }) => ({ kind, sentence: said, range: place })),
    steps: stages.map((stage) => stepOf(stage, sql)),
    incomplete: complete ? null : why,
    range,
  };
}
