// Execution accuracy of the local models on Spider's shared development questions, full schema: greedy, and with the
// retries of `one_shot`. Finished items are kept in .cache/, so that a run can be stopped and goes on.
// EX_SMALL and EX_CODER give the numbers of items (default 521 and 60; 0 leaves a model out). `coder` must be pulled.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScoreSettings } from '../src/protocol/score.ts';
import { Scorer } from '../src/runtime/score/scorer.ts';
import { Answers, chosen, databases, type Item, shared } from './ex/answers.ts';
import type { Benchmark, Measurement } from './measurement.ts';

interface GoldItem extends Item {
  query: string;
}

function limit(name: string, fallback: number): number {
  return Number(process.env[name] ?? fallback);
}

const SPIDER: ScoreSettings = {
  metrics: ['spider_ex'],
  timeoutMs: 30_000,
  orderPolicy: 'ignore',
  keepDistinct: false,
  suite: false,
  fragile: false,
};

/** @throws Error where the gold itself does not run */
async function isRight(scorer: Scorer, { db_id, query }: GoldItem, sql: string): Promise<boolean> {
  const pair = { id: db_id, db_id, gold: query, pred: sql, databases: [join(databases, db_id, `${db_id}.sqlite`)] };
  const { spider_ex, message } = await scorer.score(pair);
  if (typeof spider_ex !== 'boolean') throw new Error(`gold of ${db_id} does not run: ${query}: ${message}`);
  return spider_ex;
}

async function measure(model: 'small' | 'coder', items: GoldItem[], reach: [string, string]): Promise<Measurement[]> {
  const answers = new Answers(model);
  const scorer = new Scorer({ sandbox: answers.sandbox, store: null }, SPIDER);
  let greedy = 0;
  let retried = 0;
  let runs = 0;
  let ms = 0;
  try {
    for (const [index, item] of items.entries()) {
      const { samples } = await answers.answer(item);
      const first = samples[0];
      const best = chosen(samples);
      if (!first || !best) continue;
      ms += first.ms;
      if (first.status === 'ok') runs += 1;
      if (await isRight(scorer, item, first.sql)) greedy += 1;
      if (await isRight(scorer, item, best.sql)) retried += 1;
      const done = index + 1;
      if (done % 10 === 0)
        console.error(`  ${model}: ${done} of ${items.length}, greedy ${greedy}, retries ${retried}`);
    }
  } finally {
    await scorer.dispose();
    await answers.dispose();
  }
  const share = (count: number) => (count / items.length) * 100;
  const of = `${model}, ${items.length} items`;
  return [
    { what: `EX of ${of}, greedy`, value: share(greedy), unit: '%', reach: reach[0] },
    { what: `EX of ${of}, with three retries`, value: share(retried), unit: '%', reach: reach[1] },
    { what: `greedy answers of ${of} that run`, value: share(runs), unit: '%' },
    { what: `time of a greedy answer of ${of}, mean`, value: ms / items.length / 1000, unit: 's' },
  ];
}

export const benchmark: Benchmark = {
  title: 'execution accuracy of the local models (Spider metric, DISTINCT removed)',
  async run() {
    const path = join(shared, 'data/spider/dev_shared.json');
    if (!existsSync(path))
      throw new Error('../shared/data/spider is absent: this benchmark needs it beside the checkout.');
    const items: GoldItem[] = JSON.parse(readFileSync(path, 'utf8'));
    const small = items.slice(0, limit('EX_SMALL', 521));
    const coder = items.slice(0, limit('EX_CODER', 60));
    return [
      ...(small.length > 0 ? await measure('small', small, ['about 54 %', 'above greedy']) : []),
      ...(coder.length > 0 ? await measure('coder', coder, ['about 80 %', '']) : []),
    ];
  },
};
