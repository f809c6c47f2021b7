import assert from 'node:assert/strict';
import { ErrorClass } from '../../../src/protocol/diagnosis.ts';
import type {
  AlignedRowView,
  AlignedView,
  DiagnosisState,
  DiagnosisView,
} from '../../../src/protocol/diagnosis-view.ts';
import {
  alignedInWords,
  alignedSign,
  alignedSignInWords,
  classInWords,
  diagnosisAnnouncement,
  editText,
  shortNames,
  truthInWords,
} from '../../../webview-ui/diagnosis/words.ts';

const aligned = (totals: Partial<AlignedView['totals']>, partial = false): AlignedView => ({
  columns: [],
  suggestion: null,
  rows: [],
  totals: { same: 0, changed: 0, missing: 0, extra: 0, repeated: 0, moved: 0, ...totals },
  partial,
});
const row = (fields: Partial<AlignedRowView>): AlignedRowView => ({
  kind: 'changed',
  goldRow: 1,
  predRow: 1,
  goldTimes: 1,
  predTimes: 1,
  cells: [],
  ...fields,
});
const view = (fields: Partial<DiagnosisView>): DiagnosisView => ({
  verdict: 'different',
  sentence: 'WHERE drops 2 rows.',
  range: null,
  goldRange: null,
  lines: [],
  missing: [],
  extra: [],
  totals: { missing: 0, extra: 0 },
  findings: [],
  repair: null,
  incomplete: null,
  message: null,
  queries: 1,
  ms: 1,
  ...fields,
});
const state = (fields: Partial<DiagnosisState>): DiagnosisState => ({
  phase: 'judging',
  diagnosis: null,
  inspection: null,
  rows: null,
  problem: null,
  canDebug: false,
  ...fields,
});

describe('words of a diagnosis', () => {
  it('each kind of error has its own', () => {
    const words = ErrorClass.options.map(classInWords);
    assert.equal(new Set(words).size, words.length);
    assert.ok(words.every((text) => /^[A-Z]/.test(text) && text.length <= 36));
  });

  it('truth is a word, NULL too', () => {
    assert.deepEqual((['true', 'false', 'null', 'unknown'] as const).map(truthInWords), [
      'true',
      'false',
      'NULL',
      'unknown',
    ]);
  });

  it('columns of one table are named without it', () => {
    assert.deepEqual(shortNames(['c.id', 'c.name']), ['id', 'name']);
    assert.deepEqual(shortNames(['c.id', 'v.id']), ['c.id', 'v.id']);
    assert.deepEqual(shortNames(['Name', 'count(*)']), ['Name', 'count(*)']);
    assert.deepEqual(shortNames([]), []);
  });

  it('an edit that puts something where nothing was, or takes it away, says so', () => {
    assert.deepEqual(
      [editText(''), editText(' '), editText('\n JOIN a\n  ON b ')],
      ['nothing', 'nothing', 'JOIN a ON b'],
    );
  });

  it('two results beside each other are counted', () => {
    assert.equal(alignedInWords(aligned({ same: 3, changed: 1, missing: 2 })), '1 changed, 2 missing, 3 rows the same');
    assert.equal(alignedInWords(aligned({ extra: 1 }, true)), '1 extra, among the rows that were compared');
    assert.equal(alignedInWords(aligned({})), 'No rows on either side');
  });

  it('each row that differs has a sign and what it means', () => {
    const rows = [
      row({ kind: 'missing', predRow: null, goldTimes: 3, predTimes: 0 }),
      row({ kind: 'extra', goldRow: null, goldTimes: 0 }),
      row({ kind: 'changed', predTimes: 6 }),
      row({ kind: 'repeated', predTimes: 2 }),
      row({ kind: 'moved', predRow: 4 }),
    ];
    assert.deepEqual(rows.map(alignedSign), ['−', '+', '±', '×1:2', '↕']);
    assert.deepEqual(rows.map(alignedSignInWords), [
      'missing from the prediction, 3 times in the gold',
      'not in the gold',
      'changed, 1 time in the gold, 6 times in the prediction',
      '1 time in the gold, 2 times in the prediction',
      'row 1 of the gold, row 4 of the prediction',
    ]);
  });

  it('a screen reader is told verdict and repair once, at the end, and a failure', () => {
    const judged = state({ phase: 'repairing', diagnosis: view({}) });
    const repair = { sql: 'SELECT 1', edits: [], sentence: 'a should be b.', certain: true };
    const repaired = state({ phase: 'done', diagnosis: view({ repair }) });
    assert.equal(diagnosisAnnouncement(null, state({})), '');
    assert.equal(diagnosisAnnouncement(state({}), judged), '');
    assert.equal(diagnosisAnnouncement(judged, repaired), 'WHERE drops 2 rows. Repair: a should be b.');
    assert.equal(diagnosisAnnouncement(repaired, repaired), '');
    const failed = state({ phase: 'failed', problem: { code: 'x', message: 'The file is gone.' } });
    assert.equal(diagnosisAnnouncement(state({}), failed), 'The file is gone.');
    assert.equal(diagnosisAnnouncement(repaired, null), '');
  });
});
