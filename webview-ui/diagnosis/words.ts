import type { ErrorClass, HintKind, Truth } from '../../src/protocol/diagnosis.ts';
import type { AlignedRowView, AlignedView, DiagnosisState, FindingView } from '../../src/protocol/diagnosis-view.ts';
import { countInWords, numberInWords } from '../shared/format.ts';

/** A kind of error in a few words. */
export function classInWords(kind: ErrorClass): string {
  const words: Record<ErrorClass, string> = {
    wrong_table: 'Wrong table',
    missing_join: 'Missing join',
    extra_join: 'Join too many',
    wrong_join_condition: 'Wrong join condition',
    join_multiplies_rows: 'Join multiplies rows',
    wrong_filter_column: 'Filter on the wrong column',
    wrong_filter_operator: 'Wrong operator in a filter',
    wrong_filter_value: 'Wrong value in a filter',
    filter_case_or_space: 'Case or white space in a filter',
    missing_filter: 'Missing filter',
    extra_filter: 'Filter too many',
    wrong_column: 'Wrong column',
    wrong_aggregate: 'Wrong aggregate',
    distinct_in_aggregate: 'DISTINCT in an aggregate',
    wrong_grouping: 'Wrong grouping',
    missing_distinct: 'Missing DISTINCT',
    extra_distinct: 'DISTINCT too many',
    wrong_set_operation: 'Wrong set operation',
    wrong_order: 'Wrong order',
    ties_cut_at_limit: 'Ties cut by LIMIT',
    limit_off: 'Wrong LIMIT',
    extra_column: 'Column too many',
    missing_column: 'Missing column',
    swapped_columns: 'Swapped columns',
    rounding: 'Rounding',
    concatenation: 'Joined columns',
    text_for_number: 'Text for a number',
    null_handling: 'NULL',
    integer_division: 'Integer division',
    gold_suspicious: 'Look at the gold',
  };
  return words[kind];
}

/** A kind of hint in a few words. */
export function hintInWords(kind: HintKind): string {
  const words: Record<HintKind, string> = {
    join_multiplies_rows: 'Join multiplies rows',
    cartesian_product: 'Join without a condition',
    duplicate_rows: 'Repeated rows',
    bare_column: 'Column that is not grouped by',
    arbitrary_order: 'Arbitrary order',
    condition_never_true: 'Condition that is never true',
    condition_always_null: 'Condition that is always NULL',
    no_rows: 'No rows',
    value_not_found: 'Value that no row holds',
    name_as_text: 'Name read as a text',
    integer_division: 'Integer division',
    text_with_number: 'Text compared with a number',
  };
  return words[kind];
}

/** How sure a finding is. */
export function sureInWords({ confidence }: FindingView): string {
  if (confidence >= 0.9) return 'shown by running it';
  return confidence >= 0.5 ? 'likely' : 'perhaps';
}

/** The truth of a condition for a row. */
export function truthInWords(truth: Truth): string {
  return truth === 'null' ? 'NULL' : truth;
}

/** Names of columns as `table.column`, the table left out where it is the same for all. */
export function shortNames(names: readonly string[]): string[] {
  const tableOf = (name: string) => name.slice(0, name.indexOf('.') + 1);
  const [first = ''] = names;
  const table = tableOf(first);
  return table !== '' && names.every((name) => name.startsWith(table))
    ? names.map((name) => name.slice(table.length))
    : [...names];
}

/** Text of an edit: what is not there has a word too. */
export function editText(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line === '' ? 'nothing' : line;
}

/** How the rows of two results differ, beside each other. */
export function alignedInWords({ totals, partial }: AlignedView): string {
  const { same, changed, missing, extra, repeated, moved } = totals;
  const parts = [
    changed === 0 ? '' : `${numberInWords(changed)} changed`,
    missing === 0 ? '' : `${numberInWords(missing)} missing`,
    extra === 0 ? '' : `${numberInWords(extra)} extra`,
    repeated === 0 ? '' : `${numberInWords(repeated)} repeated another number of times`,
    moved === 0 ? '' : `${numberInWords(moved)} elsewhere`,
    same === 0 ? '' : `${countInWords(same, 'row')} the same`,
  ].filter((part) => part !== '');
  const said = parts.length === 0 ? 'No rows on either side' : parts.join(', ');
  return partial ? `${said}, among the rows that were compared` : said;
}

/** The sign beside an aligned row, so that no colour is needed. */
export function alignedSign({ kind, goldTimes, predTimes }: AlignedRowView): string {
  const signs = { missing: '−', extra: '+', changed: '±', moved: '↕', repeated: `×${goldTimes}:${predTimes}` };
  return signs[kind];
}

/** What the sign means. */
export function alignedSignInWords({ kind, goldTimes, predTimes, goldRow, predRow }: AlignedRowView): string {
  const times = goldTimes === predTimes ? '' : `, ${timesInWords(goldTimes, predTimes)}`;
  switch (kind) {
    case 'missing':
      return `missing from the prediction${goldTimes > 1 ? `, ${goldTimes} times in the gold` : ''}`;
    case 'extra':
      return `not in the gold${predTimes > 1 ? `, ${predTimes} times in the prediction` : ''}`;
    case 'changed':
      return `changed${times}`;
    case 'repeated':
      return timesInWords(goldTimes, predTimes);
    case 'moved':
      return `row ${goldRow ?? ''} of the gold, row ${predRow ?? ''} of the prediction`;
  }
}

function timesInWords(gold: number, pred: number): string {
  return `${countInWords(gold, 'time')} in the gold, ${countInWords(pred, 'time')} in the prediction`;
}

/** What a screen reader is told at the end of a diagnosis; '' before, and where nothing new is to be told. */
export function diagnosisAnnouncement(before: DiagnosisState | null, state: DiagnosisState | null): string {
  if (state === null || state.phase === before?.phase) return '';
  if (state.phase === 'failed') return state.problem?.message ?? '';
  if (state.phase !== 'done') return '';
  const sentence = state.diagnosis?.sentence ?? state.inspection?.sentence ?? '';
  const repair = state.diagnosis?.repair?.sentence ?? '';
  return [sentence, repair === '' ? '' : `Repair: ${repair}`].filter((part) => part !== '').join(' ');
}
