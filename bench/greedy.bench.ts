// How many greedy answers of the local models are equal to recorded ones of another CPU: those of `small` that are published,
// each fourth, and the reference answers of `coder`. GREEDY_SMALL and GREEDY_CODER give the numbers of items (default all, 131
// and 53; 0 leaves a model out).
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishedAnswers } from '../test/support/published.ts';
import { Answers, type Item, shared } from './ex/answers.ts';
import type { Benchmark, Measurement } from './measurement.ts';

interface Reference extends Item {
  pred: string | null;
}

/** Of the published answers of `small` each so many is asked. */
const STEP = 4;

async function compare(model: 'small' | 'coder', references: Reference[]): Promise<Measurement> {
  const answers = new Answers(model);
  let equal = 0;
  try {
    for (const [index, reference] of references.entries()) {
      const { samples } = await answers.answer(reference);
      if (samples[0]?.sql === reference.pred) equal += 1;
      else console.error(`  ${model}, ${reference.db_id}: ${reference.pred}\n    here: ${samples[0]?.sql}`);
      if ((index + 1) % 10 === 0) console.error(`  ${model}: ${index + 1} of ${references.length}, equal ${equal}`);
    }
  } finally {
    await answers.dispose();
  }
  const what = `greedy answers of ${model} equal to the reference, of ${references.length}`;
  return { what, value: equal, unit: 'answers', reach: 'nearly all' };
}

export const benchmark: Benchmark = {
  title: 'greedy answers against the reference answers',
  async run() {
    const path = join(shared, 'models/greedy_reference.jsonl');
    if (!existsSync(path)) throw new Error('../shared/models is absent: this benchmark needs it beside the checkout.');
    const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
    const recorded: (Reference & { model: string })[] = lines.map((line) => JSON.parse(line));
    const published = (await publishedAnswers()).filter((_, index) => index % STEP === 0);
    const references = {
      small: published.map(({ db_id, question, sql }): Reference => ({ db_id, question, pred: sql })),
      coder: recorded.filter(({ model }) => model === 'coder'),
    };
    const results: Measurement[] = [];
    for (const model of ['small', 'coder'] as const) {
      const limit = Number(process.env[`GREEDY_${model.toUpperCase()}`] ?? references[model].length);
      const some = references[model].slice(0, limit);
      if (some.length > 0) results.push(await compare(model, some));
    }
    return results;
  },
};
