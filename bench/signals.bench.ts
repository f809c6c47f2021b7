// The two signals on published data: how often the rules over a question say something, how often the gold's own result
// agrees, and which share of wrong and of right answers of published runs they flag.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ruledShape } from '../src/core/signals/expected-shape.ts';
import { signalsOf } from '../src/core/signals/signals.ts';
import type { Signals } from '../src/protocol/ask.ts';
import { toJsonRows } from '../src/protocol/value.ts';
import { SandboxPool } from '../src/runtime/sandbox/pool.ts';
import { sharedFolder } from '../test/support/shared.ts';
import type { Benchmark, Measurement } from './measurement.ts';

const SPIDER = join(sharedFolder, 'data/spider');
const AT_ONCE = 8;

interface Item {
  question_id: number;
  db_id: string;
  question: string;
  query: string;
}

interface Prediction {
  question_id: number;
  db_id: string;
  pred: string;
  correct: boolean;
}

/** Signals of each query on its database, in order; null where it does not run or the database is not published. */
async function signalsOfAll(
  sandbox: SandboxPool,
  queries: { db_id: string; question: string; sql: string }[],
): Promise<(Signals | null)[]> {
  const found: (Signals | null)[] = [];
  let next = 0;
  const work = async () => {
    for (let at = next++; at < queries.length; at = next++) {
      const { db_id, question, sql } = queries[at] ?? { db_id: '', question: '', sql: '' };
      const db = join(SPIDER, 'database', db_id, `${db_id}.sqlite`);
      if (!existsSync(db)) {
        found[at] = null;
        continue;
      }
      const result = await sandbox.query({ db, sql, maxRows: 20_000 });
      const json = { ...result, rows: toJsonRows(result.rows) };
      found[at] = result.status === 'ok' ? signalsOf(ruledShape(question)?.shape ?? null, json) : null;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

const percent = (part: number, whole: number) => (whole === 0 ? 0 : (part / whole) * 100);

async function onGolds(sandbox: SandboxPool, file: string, name: string, reach?: string): Promise<Measurement[]> {
  const items: Item[] = JSON.parse(readFileSync(join(SPIDER, file), 'utf8'));
  const queries = items.map(({ db_id, question, query }) => ({ db_id, question, sql: query }));
  const signals = (await signalsOfAll(sandbox, queries)).filter((one) => one !== null);
  const ruled = signals.filter(({ expected }) => expected !== null);
  const withRows = ruled.filter(({ actual }) => (actual?.rows ?? 0) > 0);
  const agreeing = (some: Signals[]) => some.filter(({ agrees }) => agrees).length;
  return [
    { what: `${name}: questions that a rule speaks of`, value: percent(ruled.length, signals.length), unit: '%' },
    {
      what: `${name}: golds with rows that agree with the rule (${withRows.length})`,
      value: percent(agreeing(withRows), withRows.length),
      unit: '%',
      ...(reach === undefined ? {} : { reach }),
    },
    {
      what: `${name}: golds that agree, empty results too (${ruled.length})`,
      value: percent(agreeing(ruled), ruled.length),
      unit: '%',
    },
  ];
}

async function onPredictions(sandbox: SandboxPool): Promise<Measurement[]> {
  const items: Item[] = JSON.parse(readFileSync(join(SPIDER, 'dev_shared.json'), 'utf8'));
  const questions = new Map(items.map(({ question_id, question }) => [question_id, question]));
  const lines = readFileSync(join(SPIDER, 'labelled_predictions.jsonl'), 'utf8').trim().split('\n');
  const predictions = lines.map((line): Prediction => JSON.parse(line));
  const queries = predictions.map(({ db_id, question_id, pred }) => ({
    db_id,
    question: questions.get(question_id) ?? '',
    sql: pred,
  }));
  const signals = await signalsOfAll(sandbox, queries);
  const share = (correct: boolean, isFlagged: (one: Signals) => boolean) => {
    const ran = signals
      .filter((one, at) => one !== null && predictions[at]?.correct === correct)
      .filter((one) => one !== null);
    return percent(ran.filter(isFlagged).length, ran.length);
  };
  const shape = ({ agrees }: Signals) => agrees === false;
  const duplicates = ({ duplicates: found }: Signals) => found !== null;
  return [
    { what: 'wrong answers whose shape is flagged', value: share(false, shape), unit: '%' },
    { what: 'right answers whose shape is flagged', value: share(true, shape), unit: '%' },
    { what: 'wrong answers whose duplicated rows are flagged', value: share(false, duplicates), unit: '%' },
    { what: 'right answers whose duplicated rows are flagged', value: share(true, duplicates), unit: '%' },
  ];
}

export const benchmark: Benchmark = {
  title: 'duplicated rows, and expected shape by rules, on Spider and on 13 published runs',
  async run() {
    const sandbox = new SandboxPool({ children: 2 });
    try {
      return [
        ...(await onGolds(sandbox, 'train.json', 'Spider train', '>= 95 %')),
        ...(await onGolds(sandbox, 'dev_shared.json', 'dev shared')),
        ...(await onPredictions(sandbox)),
      ];
    } finally {
      await sandbox.dispose();
    }
  },
};
