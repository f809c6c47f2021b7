import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { createEngine } from '../../../python-free-trainer/src/engine/create.ts';
import { sftObjective } from '../../../python-free-trainer/src/loss/sft.ts';
import { TARGETS } from '../../../python-free-trainer/src/model/targets.ts';
import { learningRate } from '../../../python-free-trainer/src/optim/schedule.ts';
import { answerAfter, packTexts } from '../support/batches.ts';
import { randomModel, TINY } from '../support/models.ts';

const STEPS = 80;

/** The committed questions and queries, cut into words and signs, as one pack. */
function questionsAndQueries() {
  const lines = readFileSync(new URL('../../fixtures/trainer/question-sql.jsonl', import.meta.url), 'utf8');
  const ids = new Map<string, number>();
  const idOf = (word: string) => ids.get(word) ?? ids.set(word, ids.size).get(word) ?? 0;
  const encode = (text: string) => (text.match(/\w+|[^\w\s]/g) ?? []).map(idOf);
  const texts = lines
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { question, sql } = JSON.parse(line) as { question: string; sql: string };
      const prompt = [...encode(question), idOf('<query>')];
      return answerAfter(prompt.length, [...prompt, ...encode(sql), idOf('<end>')]);
    });
  return { batch: packTexts(texts), vocab: ids.size, pairs: texts.length };
}

describe('a tiny random model', () => {
  it('learns 20 questions and queries until each next token of every query is the most likely one', async () => {
    const { batch, vocab, pairs } = questionsAndQueries();
    assert.equal(pairs, 20);
    const source = randomModel({ ...TINY.qwen3, hidden: 64, headDim: 16, ffn: 128, vocab }, 1);
    const lora = { r: 16, alpha: 32, rslora: false, targets: TARGETS };
    const engine = await createEngine({ device: 'cpu', source, lora, adapter: null, seed: 1, threads: 2 });
    const objective = sftObjective(batch.targets.length);
    const before = await engine.evaluate(batch);
    for (let step = 1; step <= STEPS; step++) {
      await engine.accumulate(batch, objective);
      const lr = learningRate(step, STEPS, 2e-2, { kind: 'cosine', warmup: 0.05, end: 0.1 });
      await engine.update({ lr, betas: [0.9, 0.99], eps: 1e-8, weightDecay: 0, clip: 1 });
    }
    const after = await engine.evaluate(batch);
    await engine.close();
    process.stdout.write(
      `      ${before.correct} of ${batch.targets.length} before, ${after.correct} after; loss ${objective(after.logProbs, batch).loss.toFixed(4)}\n`,
    );
    assert.ok(before.correct < batch.targets.length / 10);
    assert.equal(after.correct, batch.targets.length);
  });
});
