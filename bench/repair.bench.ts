// The search for repairs: 500 training golds of Spider with one planted mistake each, and the published predictions that
// run and give other rows than their gold. 2 children; REPAIR_EVERY=n takes every n-th of both, REPAIR_OUT=file keeps what
// was found, a JSON line a pair.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_BUDGET } from '../src/core/diagnose/repair/find-repair.ts';
import { isOrdered } from '../src/core/score/order.ts';
import { compareStrictly } from '../src/core/score/strict-ex.ts';
import type { Repair, SearchEffort } from '../src/protocol/diagnosis.ts';
import { Repairer, type WrongPair } from '../src/runtime/diagnose/repair.ts';
import { SandboxPool } from '../src/runtime/sandbox/pool.ts';
import { sharedFolder } from '../test/support/shared.ts';
import type { MutationKind } from './diagnose/mutations.ts';
import { plantMutations, SpiderDatabases } from './diagnose/planted.ts';
import type { Benchmark, Measurement } from './measurement.ts';

const PLANTED = 500;
const SEED = 1;
const EVERY = Number(process.env['REPAIR_EVERY'] ?? 1);
const OUT = process.env['REPAIR_OUT'];

interface Searched {
  kind: MutationKind | null;
  repair: Repair | null;
  effort: SearchEffort;
  ms: number;
}

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length * share)] ?? 0;
}

function share(part: number, whole: number): number {
  return (part / whole) * 100;
}

/** Searches one pair; checks on the database itself that a repair gives the gold's rows. */
async function search(
  repairer: Repairer,
  sandbox: SandboxPool,
  pair: WrongPair,
  kind: MutationKind | null,
): Promise<Searched> {
  const started = performance.now();
  const { repair, effort } = await repairer.repair(pair, DEFAULT_BUDGET);
  const ms = performance.now() - started;
  if (repair !== null) {
    const result = await sandbox.query({ db: pair.db, sql: repair.sql, maxRows: 100_000 });
    if (compareStrictly(pair.goldResult, result, isOrdered(pair.gold, 'gold_order_by')) !== null)
      throw new Error(`not the gold's rows: ${repair.sql}`);
  }
  if (OUT !== undefined)
    appendFileSync(
      OUT,
      `${JSON.stringify({ kind, db: pair.db, gold: pair.gold, pred: pair.pred, repair, effort, ms })}\n`,
    );
  return { kind, repair, effort, ms };
}

async function wrongPairs(databases: SpiderDatabases): Promise<WrongPair[]> {
  const lines = readFileSync(join(sharedFolder, 'data/spider/labelled_predictions.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  const labelled: { db_id: string; gold: string; pred: string; correct: boolean }[] = lines.map((line) =>
    JSON.parse(line),
  );
  const pairs: WrongPair[] = [];
  for (const { db_id, gold, pred } of labelled.filter(({ correct }) => !correct)) {
    const [goldResult, predResult] = await Promise.all([databases.run(db_id, gold), databases.run(db_id, pred)]);
    if (goldResult.status !== 'ok' || predResult.status !== 'ok') continue;
    if (compareStrictly(goldResult, predResult, isOrdered(gold, 'gold_order_by')) === null) continue;
    pairs.push({
      db: databases.path(db_id),
      catalog: await databases.catalog(db_id),
      gold,
      pred,
      goldResult,
      predResult,
    });
  }
  return pairs;
}

function timesOf(what: string, searched: readonly Searched[]): Measurement[] {
  const times = searched.map(({ ms }) => ms);
  return [
    { what: `time of a search, ${what}, median`, value: quantile(times, 0.5), unit: 'ms' },
    { what: `time of a search, ${what}, p95`, value: quantile(times, 0.95), unit: 'ms' },
  ];
}

function plantedMeasurements(searched: readonly Searched[]): Measurement[] {
  const found = searched.filter(({ repair }) => repair !== null);
  const kinds = [...new Set(searched.flatMap(({ kind }) => kind ?? []))].sort();
  return [
    {
      what: `planted mistakes repaired, of ${searched.length}`,
      value: share(found.length, searched.length),
      unit: '%',
      reach: '>= 85 %',
    },
    {
      what: 'of them by one edit',
      value: share(found.filter(({ repair }) => repair?.edits.length === 1).length, found.length),
      unit: '%',
    },
    ...kinds.map((kind) => {
      const own = searched.filter((one) => one.kind === kind);
      const repaired = own.filter(({ repair }) => repair !== null);
      return { what: `${kind} repaired, of ${own.length}`, value: share(repaired.length, own.length), unit: '%' };
    }),
    ...timesOf('planted mistakes', searched),
  ];
}

function predictionMeasurements(searched: readonly Searched[]): Measurement[] {
  const found = searched.flatMap(({ repair }) => repair ?? []);
  const byEdits = (count: number) => found.filter(({ edits }) => edits.length === count).length;
  const lucky = found.filter(({ certain }) => !certain).length;
  return [
    ...[1, 2, 3].map((count) => ({
      what: `wrong predictions repaired by ${count} edit${count > 1 ? 's' : ''}, of ${searched.length}`,
      value: share(byEdits(count), searched.length),
      unit: '%',
    })),
    {
      what: 'wrong predictions repaired in all',
      value: share(found.length, searched.length),
      unit: '%',
      reach: '40 %',
    },
    { what: 'of all: repairs that may agree by chance', value: share(lucky, searched.length), unit: '%' },
    ...timesOf('wrong predictions', searched),
  ];
}

export const benchmark: Benchmark = {
  title: 'minimal repairs: 500 planted mistakes, and the published predictions whose rows are wrong',
  async run(): Promise<Measurement[]> {
    if (OUT !== undefined) writeFileSync(OUT, '');
    const sandbox = new SandboxPool({ children: 2 });
    const repairer = new Repairer(sandbox);
    const databases = new SpiderDatabases(sandbox, sharedFolder);
    try {
      const planted = await plantMutations(databases, sharedFolder, Math.ceil(PLANTED / EVERY), SEED);
      const mistakes: Searched[] = [];
      for (const pair of planted) mistakes.push(await search(repairer, sandbox, pair, pair.kind));
      const pairs = (await wrongPairs(databases)).filter((_, index) => index % EVERY === 0);
      const predictions: Searched[] = [];
      for (const pair of pairs) predictions.push(await search(repairer, sandbox, pair, null));
      return [...plantedMeasurements(mistakes), ...predictionMeasurements(predictions)];
    } finally {
      repairer.dispose();
      await sandbox.dispose();
    }
  },
};
