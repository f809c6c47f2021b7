// Diagnoses of published wrong predictions (verdict, diverging stage, class, time without and with a repair) and of 500
// training golds with one planted mistake each (is its class named?). 2 children; DIAGNOSE_EVERY=n takes every n-th
// prediction, DIAGNOSE_OUT=file keeps the diagnoses, a JSON line a pair.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Diagnosis, ErrorClass } from '../src/protocol/diagnosis.ts';
import { Diagnoser } from '../src/runtime/diagnose/diagnose.ts';
import { SandboxPool } from '../src/runtime/sandbox/pool.ts';
import { sharedFolder } from '../test/support/shared.ts';
import { type Planted, plantMutations, SpiderDatabases } from './diagnose/planted.ts';
import type { Benchmark, Measurement } from './measurement.ts';

const PLANTED = 500;
/** Other than the seed with which the classes were looked at while they were written. */
const SEED = 2026;
const EVERY = Number(process.env['DIAGNOSE_EVERY'] ?? 1);
const OUT = process.env['DIAGNOSE_OUT'];
const TIMEOUT_MS = 5_000;
/** From here on a finding was shown by running a query or by the rows themselves. */
const SHOWN = 0.9;

interface Prediction {
  db_id: string;
  gold: string;
  pred: string;
  correct: boolean;
}

interface Diagnosed {
  diagnosis: Diagnosis;
  ms: number;
}

function wrongPredictions(): Prediction[] {
  const text = readFileSync(join(sharedFolder, 'data/spider/labelled_predictions.jsonl'), 'utf8');
  const all = text
    .trimEnd()
    .split('\n')
    .map((line): Prediction => JSON.parse(line));
  return all.filter(({ correct }) => !correct).filter((_, index) => index % EVERY === 0);
}

async function timed(work: () => Promise<Diagnosis>): Promise<Diagnosed> {
  const started = performance.now();
  const diagnosis = await work();
  return { diagnosis, ms: performance.now() - started };
}

async function diagnoseAll(
  diagnoser: Diagnoser,
  databases: SpiderDatabases,
  predictions: readonly Prediction[],
  repair: boolean,
): Promise<Diagnosed[]> {
  const diagnosed: Diagnosed[] = [];
  for (const { db_id, gold, pred } of predictions) {
    const request = { db: databases.path(db_id), gold, pred, timeoutMs: TIMEOUT_MS, repair };
    const one = await timed(() => diagnoser.diagnose(request));
    diagnosed.push(one);
    if (OUT !== undefined) appendFileSync(OUT, `${JSON.stringify({ db_id, gold, pred, repair, ...one })}\n`);
  }
  return diagnosed;
}

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length * share)] ?? 0;
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : (part / whole) * 100;
}

function times(what: string, diagnosed: readonly Diagnosed[]): Measurement[] {
  const ms = diagnosed.map((one) => one.ms);
  return [
    { what: `time of a diagnosis ${what}, median`, value: quantile(ms, 0.5), unit: 'ms', reach: '<= 30 ms' },
    { what: `time of a diagnosis ${what}, p95`, value: quantile(ms, 0.95), unit: 'ms', reach: '<= 500 ms' },
  ];
}

function ofPredictions(diagnosed: readonly Diagnosed[]): Measurement[] {
  const count = (verdict: Diagnosis['verdict']) => diagnosed.filter((one) => one.diagnosis.verdict === verdict).length;
  const wrong = diagnosed.filter((one) => one.diagnosis.verdict === 'different');
  const withStage = wrong.filter((one) => one.diagnosis.stage !== null);
  const first = wrong.map((one) => one.diagnosis.taxonomy[0]);
  const shown = first.filter((finding) => (finding?.confidence ?? 0) >= SHOWN);
  const classes = new Map<ErrorClass, number>();
  for (const finding of first) if (finding) classes.set(finding.class, (classes.get(finding.class) ?? 0) + 1);
  const queries = wrong.reduce((sum, one) => sum + one.diagnosis.effort.queries, 0);
  return [
    { what: 'predictions labelled wrong', value: diagnosed.length, unit: '' },
    { what: 'of them not running', value: count('error'), unit: '' },
    { what: 'of them with the rows of the gold', value: count('equal'), unit: '' },
    { what: 'of them with other rows', value: wrong.length, unit: '' },
    {
      what: 'pairs with other rows that have a diverging stage',
      value: percent(withStage.length, wrong.length),
      unit: '%',
      reach: '>= 97 %',
    },
    {
      what: 'pairs whose first class was shown by running it or by the rows',
      value: percent(shown.length, wrong.length),
      unit: '%',
    },
    { what: 'queries of a diagnosis without repair, mean', value: queries / wrong.length, unit: '' },
    ...[...classes.entries()]
      .sort(([, one], [, other]) => other - one)
      .map(([kind, value]) => ({ what: `first class ${kind}`, value, unit: 'pairs' })),
    ...times('without repair', wrong),
  ];
}

async function ofPlanted(diagnoser: Diagnoser, planted: readonly Planted[]): Promise<Measurement[]> {
  const places = new Map<string, number[]>();
  for (const { db, gold, pred, expected, kind } of planted) {
    const { taxonomy } = await diagnoser.diagnose({ db, gold, pred, timeoutMs: TIMEOUT_MS, repair: false });
    const place = taxonomy.findIndex((finding) => finding.class === expected);
    places.set(kind, [...(places.get(kind) ?? []), place]);
  }
  const all = [...places.values()].flat();
  const within = (list: readonly number[], most: number) => list.filter((place) => place >= 0 && place < most).length;
  return [
    {
      what: `planted mistakes whose class is named first, of ${all.length}`,
      value: percent(within(all, 1), all.length),
      unit: '%',
      reach: '>= 85 %',
    },
    {
      what: 'planted mistakes whose class is among the first two',
      value: percent(within(all, 2), all.length),
      unit: '%',
    },
    ...[...places.entries()].sort().map(([kind, list]) => ({
      what: `${kind}: named first, of ${list.length}`,
      value: percent(within(list, 1), list.length),
      unit: '%',
    })),
  ];
}

export const benchmark: Benchmark = {
  title: 'diagnoses of published wrong predictions, and of 500 planted mistakes',
  async run(): Promise<Measurement[]> {
    if (OUT !== undefined) writeFileSync(OUT, '');
    const sandbox = new SandboxPool({ children: 2 });
    const diagnoser = new Diagnoser({ sandbox });
    try {
      const databases = new SpiderDatabases(sandbox, sharedFolder);
      const predictions = wrongPredictions();
      const without = await diagnoseAll(diagnoser, databases, predictions, false);
      const repaired = (await diagnoseAll(diagnoser, databases, predictions, true)).filter(
        (one) => one.diagnosis.verdict === 'different',
      );
      const found = repaired.filter((one) => one.diagnosis.repair !== null);
      const planted = await plantMutations(databases, sharedFolder, Math.ceil(PLANTED / EVERY), SEED);
      return [
        ...ofPredictions(without),
        ...times('with repair', repaired),
        {
          what: 'pairs with other rows that have a repair',
          value: percent(found.length, repaired.length),
          unit: '%',
          reach: '40 %',
        },
        ...(await ofPlanted(diagnoser, planted)),
      ];
    } finally {
      diagnoser.dispose();
      await sandbox.dispose();
    }
  },
};
