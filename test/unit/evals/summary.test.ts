import assert from 'node:assert/strict';
import { configDifferences } from '../../../src/core/evals/config-differences.ts';
import { Eta } from '../../../src/core/evals/eta.ts';
import { linkingOf } from '../../../src/core/evals/linking.ts';
import { runId } from '../../../src/core/evals/run-id.ts';
import { summarise } from '../../../src/core/evals/summary.ts';
import type { ItemRecord } from '../../../src/protocol/eval.ts';
import type { RunConfig } from '../../../src/protocol/ledger.ts';
import type { Verdict } from '../../../src/protocol/score.ts';

const LINKED = { mode: 'full' as const, kept: ['a', 'b'], left: [], scores: {} };

function record(given: Partial<Omit<ItemRecord, 'verdict'>> & { verdict?: Partial<Verdict> } = {}): ItemRecord {
  const { verdict, ...rest } = given;
  return {
    id: 'i',
    db_id: 'd',
    question: 'q',
    evidence: '',
    gold: 'SELECT 1',
    difficulty: null,
    outcome: 'right',
    sql: 'SELECT 1',
    status: 'ok',
    code: null,
    message: null,
    stop: 'final',
    turns: [],
    signals: { duplicates: null, expected: null, actual: null, agrees: null, differences: [] },
    vote: null,
    linked: LINKED,
    needed: null,
    notes: [],
    promptTokens: null,
    completionTokens: null,
    ms: 100,
    ...rest,
    verdict: {
      id: 'i',
      official_ex: true,
      strict_ex: true,
      soft_f1: 1,
      reason: null,
      gold_status: 'ok',
      pred_status: 'ok',
      ms: 1,
      ...verdict,
    },
  };
}

describe('the summary of a run', () => {
  it('leaves items whose gold fails out of every share and mean', () => {
    const failed = { official_ex: null, strict_ex: null, soft_f1: null, reason: 'gold_failed' as const };
    const { shares, soft_f1, outcomes, done, items } = summarise(
      [
        record(),
        record({ outcome: 'wrong_rows', verdict: { official_ex: false, strict_ex: false, soft_f1: 0.5 } }),
        record({ outcome: 'gold_failed', verdict: failed }),
      ],
      4,
      0,
    );
    assert.deepEqual([shares.official_ex?.right, shares.official_ex?.of, soft_f1], [1, 2, 0.75]);
    assert.deepEqual([outcomes.right, outcomes.wrong_rows, outcomes.gold_failed, done, items], [1, 1, 1, 3, 4]);
    assert.deepEqual(Object.keys(shares), ['official_ex', 'strict_ex']);
  });

  it('counts what passes official_ex and fails strict_ex', () => {
    const lucky = record({ verdict: { strict_ex: false } });
    assert.equal(summarise([lucky, record(), lucky], 3, 0).official_not_strict, 2);
  });

  it('says nothing of what was not measured', () => {
    const { r_ves, fragile, tokens, linking, shares } = summarise([record()], 1, 0);
    assert.deepEqual([r_ves, fragile, tokens, linking], [null, null, { prompt: null, completion: null }, null]);
    assert.equal(shares.spider_ex, undefined);
    const empty = summarise([], 3, 5);
    assert.deepEqual([empty.shares, empty.soft_f1, empty.ms], [{}, null, 5]);
  });

  it('adds up tokens, turns, times and fragile answers', () => {
    const fragile = (tried: number, differ: number) => record({ verdict: { fragile: { tried, differ } } });
    const told = record({ promptTokens: 5, completionTokens: 2, ms: 50 });
    const summary = summarise([fragile(3, 1), fragile(2, 0), fragile(0, 0), told], 4, 0);
    assert.deepEqual(summary.fragile, { right: 2, differ: 1 });
    assert.deepEqual([summary.tokens, summary.item_ms], [{ prompt: 5, completion: 2 }, 350]);
    assert.equal(summarise([record({ verdict: { r_ves: 1 } }), record({ verdict: { r_ves: 0 } })], 2, 0).r_ves, 50);
  });

  it('compares kept with needed tables whatever their case, and passes over what no prompt shows', () => {
    const of = (needed: string[] | null, kept: string[], left: string[]) =>
      linkingOf({ needed, linked: { ...LINKED, kept, left } });
    assert.deepEqual(of(['Singer', 'CONCERT'], ['singer'], ['Concert']), { kept: 1, needed: 2, neededKept: 1 });
    assert.deepEqual(of(['a_view', 'singer'], ['singer'], []), { kept: 1, needed: 1, neededKept: 1 });
    assert.deepEqual([of(null, ['a'], []), of([], ['a'], []), of(['a'], [], [])], [null, null, null]);
  });
});

describe('the estimate of the end of a run', () => {
  it('is the pace of the last items, times those that are left', () => {
    const eta = new Eta(1000);
    assert.equal(eta.leftMs(10), null);
    eta.finish(1500);
    assert.equal(eta.leftMs(10), 5000);
    for (let item = 1; item <= 60; item += 1) eta.finish(1500 + item * 100);
    assert.equal(eta.leftMs(10), 1000);
  });
});

describe('the id of a run', () => {
  const time = new Date('2026-11-29T21:30:05.123Z');

  it('has time, model, dataset and four digits', () => {
    assert.equal(runId(time, 'small', 'dev_shared.json', '4f2a'), '20261129-213005-small-dev_shared-4f2a');
    assert.equal(runId(time, 'small', 'shop.sql-tests.jsonl', '4f2a'), '20261129-213005-small-shop-4f2a');
  });

  it('is a name that every file system takes', () => {
    const id = runId(time, 'org/Model: 7b “chat”', '../дата.v2.csv', '4f2a');
    assert.equal(id, '20261129-213005-org-Model-7b-chat-v2-4f2a');
    assert.ok(runId(time, 'm'.repeat(300), '.json', 'aaaa').length < 80);
  });
});

describe('the differences of two configurations', () => {
  it('are named by their fields', () => {
    const config: RunConfig = {
      dataset: { name: 'd.json', format: 'bird', hash: 'a' },
      split: null,
      items: { count: 1, of: 2, hash: 'b' },
      model: { provider: 'local', name: 'small', base: null, adapter: null, server: null },
      protocol: 'one_shot',
      decoding: { samples: 1, retries: 3, turns: 4 },
      prompt: { name: 'lines-1', link: 'auto' },
      timeoutMs: 1,
      metric: 'official_ex',
      score: {
        metrics: ['official_ex'],
        timeoutMs: 1,
        orderPolicy: 'ignore',
        keepDistinct: false,
        suite: false,
        fragile: false,
      },
    };
    assert.deepEqual(configDifferences(config, structuredClone(config)), []);
    const other = { ...config, split: { name: 'test', hash: 'c' }, decoding: { ...config.decoding, samples: 3 } };
    assert.deepEqual(configDifferences(config, other), [
      'split was null and is {"name":"test","hash":"c"}',
      'decoding.samples was 1 and is 3',
    ]);
  });
});
