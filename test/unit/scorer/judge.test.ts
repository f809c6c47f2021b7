import assert from 'node:assert/strict';
import type { Cell } from '../../../src/protocol/value.ts';
import { judge, type Side } from '../../../src/runtime/score/judge.ts';
import { failed, type Ran } from '../../../src/runtime/score/run-query.ts';
import { SETTINGS } from './support.ts';

type Rows = Cell[][];

function ran(rows: Rows, more: Partial<Ran> = {}): Ran {
  const columns = Array.from({ length: rows[0]?.length ?? 1 }, (_, index) => `c${index}`);
  return { ...failed('ok', '', ''), code: null, message: null, columns, rows, ...more };
}

/** A result as it was cut, and the same without repeated rows, cut or not. */
interface Held {
  written: Ran;
  distinct: Ran;
}

const whole = (rows: Rows): Held => ({ written: ran(rows), distinct: ran(rows) });
const cut = (rows: Rows, distinct: Ran): Held => ({ written: ran(rows, { truncated: true }), distinct });

function verdict(gold: Held, pred: Held) {
  const side = (result: Ran): Side => ({ sql: 'SELECT 1', ran: result });
  const written = { gold: side(gold.written), pred: side(pred.written) };
  const distinct = { gold: side(gold.distinct), pred: side(pred.distinct) };
  const {
    ms: _ms,
    gold_status: _gold,
    pred_status: _pred,
    ...rest
  } = judge({ written, distinct, spider: written, ordered: false }, SETTINGS);
  return rest;
}

const MANY: Rows = Array.from({ length: 30 }, (_, index) => [index % 3]);
const FEW: Rows = [[0], [1], [2]];
const TOO_MANY = ran(MANY, { truncated: true });

describe('results of which only a part could be held', () => {
  const tooLarge = (what: string) =>
    `The result of the ${what} is larger than can be compared (1,000,000 rows or 128 MiB).`;

  it('are judged by their different rows where those could be held', () => {
    assert.deepEqual(verdict(whole(FEW), cut(MANY, ran(FEW))), {
      official_ex: true,
      strict_ex: false,
      spider_ex: false,
      soft_f1: 1,
      reason: 'truncated',
      message: tooLarge('prediction'),
    });
    const other = verdict(whole([[0], [1]]), cut(MANY, ran(FEW)));
    assert.deepEqual([other.official_ex, other.strict_ex, other.reason], [false, false, 'truncated']);
  });

  it('make a large gold differ from a prediction that is not, for sure', () => {
    assert.deepEqual(verdict(cut(MANY, ran(FEW)), whole(FEW)), {
      official_ex: true,
      strict_ex: false,
      spider_ex: false,
      soft_f1: 1,
      reason: 'row_count',
      message: tooLarge('gold'),
    });
    assert.equal(verdict(cut(FEW, ran(FEW)), whole(MANY)).reason, 'row_values');
    assert.equal(verdict(cut(MANY, ran(FEW)), whole([[0, 1]])).reason, 'column_count');
  });

  it('say nothing of multisets where both were cut, and all of sets', () => {
    assert.deepEqual(verdict(cut(MANY, ran(FEW)), cut(MANY, ran(FEW))), {
      official_ex: true,
      strict_ex: null,
      spider_ex: null,
      soft_f1: 1,
      reason: 'gold_failed',
      message: tooLarge('gold'),
    });
  });

  it('are of different size where the different rows of one could be held and those of the other could not', () => {
    for (const [gold, pred, large] of [
      [whole(FEW), cut(MANY, TOO_MANY), 'prediction'],
      [cut(MANY, TOO_MANY), whole(FEW), 'gold'],
    ] as const) {
      const found = verdict(gold, pred);
      assert.deepEqual([found.official_ex, found.soft_f1, found.message], [false, 0, tooLarge(large)]);
    }
  });

  it('cannot be judged where the different rows of neither could be held', () => {
    assert.deepEqual(verdict(cut(MANY, TOO_MANY), cut(MANY, TOO_MANY)), {
      official_ex: null,
      strict_ex: null,
      spider_ex: null,
      soft_f1: null,
      reason: 'gold_failed',
      message: tooLarge('gold'),
    });
  });

  it('fail where the second run fails', () => {
    const late = cut(MANY, failed('timeout', 'deadline', 'The query was stopped.'));
    assert.equal(verdict(whole(FEW), late).official_ex, false);
    assert.equal(verdict(late, late).official_ex, null);
  });
});
