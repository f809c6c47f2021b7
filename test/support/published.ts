import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ItemRecord } from '../../src/protocol/eval.ts';
import { readModelEntry } from '../../src/runtime/model/manifest.ts';
import { packageRoot } from '../../src/runtime/paths.ts';
import { Ledger } from '../../src/runtime/store/ledger.ts';

const PUBLISHED = join(packageRoot, 'results/published');

/** The items of the published run of the model as it is over all questions, with its greedy answers alone. */
export async function publishedAnswers(): Promise<ItemRecord[]> {
  const { base, adapter } = readModelEntry('small');
  const run = (await new Ledger(PUBLISHED).runs()).find(
    ({ config: { model, decoding, items } }) =>
      model.base === base.sha256 &&
      model.adapter === adapter.sha256 &&
      decoding.retries === 0 &&
      items.count === items.of,
  );
  assert.ok(run, 'a run of small with its own adapter and without retries is published');
  const text = readFileSync(join(PUBLISHED, run.run_id, 'items.jsonl'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => ItemRecord.parse(JSON.parse(line)));
}
