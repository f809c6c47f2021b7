import { strict as assert } from 'node:assert';
import { freshAdapter } from '../../../python-free-trainer/src/model/lora.ts';
import { philox } from '../../../python-free-trainer/src/model/philox.ts';
import { rotationFrequencies } from '../../../python-free-trainer/src/model/rotation.ts';
import { clipFactor } from '../../../python-free-trainer/src/optim/clip.ts';
import { learningRate } from '../../../python-free-trainer/src/optim/schedule.ts';
import { TINY } from '../support/models.ts';

describe('the learning rate', () => {
  const rates = (kind: 'cosine' | 'linear' | 'constant', warmup: number, end: number) =>
    Array.from({ length: 10 }, (_, index) => Number(learningRate(index + 1, 10, 2, { kind, warmup, end }).toFixed(6)));

  it('rises over the warm-up in equal parts and is never 0', () => {
    assert.deepEqual(rates('constant', 0.4, 0), [0.5, 1, 1.5, 2, 2, 2, 2, 2, 2, 2]);
  });

  it('falls along a line to its end at the last step', () => {
    assert.deepEqual(rates('linear', 0.5, 0.1), [0.4, 0.8, 1.2, 1.6, 2, 1.64, 1.28, 0.92, 0.56, 0.2]);
  });

  it('falls by half a cosine to its end at the last step', () => {
    const cosine = rates('cosine', 0.2, 0.5);
    assert.equal(cosine[1], 2);
    assert.equal(cosine[5], 1.5);
    assert.equal(cosine[9], 1);
    assert.ok(cosine.slice(1).every((rate, index) => index === 0 || rate < (cosine[index] ?? 0)));
  });

  it('is the highest at once without a warm-up, and the end in a run of one step', () => {
    assert.ok(learningRate(1, 1000, 1, { kind: 'cosine', warmup: 0, end: 0 }) > 0.99999);
    assert.equal(learningRate(1, 1, 1, { kind: 'linear', warmup: 0.5, end: 0.1 }), 1);
  });
});

describe('clipping', () => {
  it('shrinks a long gradient to the limit and leaves a short one', () => {
    assert.equal(clipFactor(4, 1), 1 / (4 + 1e-6));
    assert.equal(clipFactor(0.5, 1), 1);
    assert.equal(clipFactor(100, null), 1);
  });
});

describe('random numbers by counter', () => {
  it('are those of the authors of Philox', () => {
    const hex = (words: number[]) => words.map((word) => word.toString(16).padStart(8, '0')).join(' ');
    assert.equal(hex(philox([0, 0, 0, 0], [0, 0])), '6627e8d5 e169c58d bc57ac4c 9b00dbd8');
    assert.equal(hex(philox([-1, -1, -1, -1], [-1, -1])), '408f276d 41c83b0e a20bc7c6 6d5451fd');
    const pi = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344] as const;
    assert.equal(hex(philox(pi, [0xa4093822, 0x299f31d0])), 'd16cfe09 94fdcceb 5001e420 24126ea1');
  });
});

describe('a fresh adapter', () => {
  const settings = { r: 4, alpha: 8, rslora: false, targets: ['q_proj', 'down_proj'] as const };

  it('has A uniform up to 1/√in as peft makes it, and B of zeros', () => {
    const { pairs } = freshAdapter(TINY.qwen3, settings, 7);
    assert.deepEqual(
      pairs.map(({ layer, target }) => `${layer} ${target}`),
      ['0 q_proj', '0 down_proj', '1 q_proj', '1 down_proj'],
    );
    for (const { a, b, in: width } of pairs) {
      const bound = 1 / Math.sqrt(width);
      const deviation = Math.sqrt(a.reduce((sum, value) => sum + value * value, 0) / a.length);
      assert.ok(a.every((value) => Math.abs(value) <= bound));
      assert.ok(Math.abs(deviation / (bound / Math.sqrt(3)) - 1) < 0.2);
      assert.ok(b.every((value) => value === 0));
    }
  });

  it('is the same for the same seed, whichever other layers are adapted', () => {
    const [first] = freshAdapter(TINY.qwen3, settings, 7).pairs;
    const all = freshAdapter(TINY.qwen3, { ...settings, targets: ['k_proj', 'q_proj'] }, 7).pairs;
    assert.deepEqual(all.find(({ target }) => target === 'q_proj')?.a, first?.a);
    assert.notDeepEqual(freshAdapter(TINY.qwen3, settings, 8).pairs[0]?.a, first?.a);
    assert.notDeepEqual(freshAdapter(TINY.qwen3, settings, 7 + 2 ** 32).pairs[0]?.a, first?.a);
  });
});

describe('the rotation', () => {
  it('turns slower by the factors of the model', () => {
    const plain = rotationFrequencies({ ...TINY.llama, ropeFactors: null });
    assert.deepEqual([...plain], [1, 0.1, 0.01, 0.001].map(Math.fround));
    const factors = [1, 1, 2.5, 8];
    assert.deepEqual(
      [...rotationFrequencies(TINY.llama)],
      factors.map((factor, index) => Math.fround((plain[index] ?? 0) / factor)),
    );
  });
});
