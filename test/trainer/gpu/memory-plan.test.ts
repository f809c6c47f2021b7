import { strict as assert } from 'node:assert';
import { CudaBackend } from '../../../python-free-trainer/src/backend/cuda/cuda-backend.ts';
import type { PackedBatch } from '../../../python-free-trainer/src/data/batch.ts';
import { BackendEngine } from '../../../python-free-trainer/src/engine/backend-engine.ts';
import type { Objective, RecomputeMode } from '../../../python-free-trainer/src/engine/engine.ts';
import type { Gpu } from '../../../python-free-trainer/src/gpu/device.ts';
import { type Lifetime, type MemoryPlan, planMemory } from '../../../python-free-trainer/src/gpu/memory-plan.ts';
import { PassMemory } from '../../../python-free-trainer/src/gpu/pass-memory.ts';
import { MemoryPool } from '../../../python-free-trainer/src/gpu/pool.ts';
import { IDLE_GPU, IdleMultiplier, RehearsalMemory } from '../../../python-free-trainer/src/gpu/rehearsal.ts';
import { sftObjective } from '../../../python-free-trainer/src/loss/sft.ts';
import { trainAdapter } from '../../../python-free-trainer/src/model/lora.ts';
import { loadWeights } from '../../../python-free-trainer/src/model/weights.ts';
import { Random } from '../../../src/core/score/statistics/random.ts';
import { answerAfter, packShared, packTexts } from '../support/batches.ts';
import { randomAdapter, randomModel, randomTokens, TINY } from '../support/models.ts';

/** Whether two pieces that are there at the same time share a byte. */
function overlaps({ pieces }: MemoryPlan): boolean {
  return pieces.some((one, index) =>
    pieces.slice(0, index).some((other) => {
      const together = one.from <= other.to && other.from <= one.to;
      return together && one.offset < other.offset + other.bytes && other.offset < one.offset + one.bytes;
    }),
  );
}

/** Takes and gives at random; what is left is given back at the end. */
function randomLifetimes(seed: number): readonly Lifetime[] {
  const random = new Random(seed);
  const memory = new RehearsalMemory();
  const open: number[] = [];
  for (let i = 0; i < 300; i++)
    if (open.length > 0 && random.below(2) === 0) memory.give(open.splice(random.below(open.length), 1)[0] ?? 0);
    else open.push(memory.take(random.below(5000)));
  return memory.lifetimes;
}

/** A GPU that does nothing and hands memory out up to a limit. */
class CountingGpu {
  readonly allocations: number[] = [];
  readonly gpu: Gpu;
  #next = 256;
  #used = 0;

  constructor(total: number) {
    const sizes = new Map<number, number>();
    this.gpu = {
      ...IDLE_GPU,
      allocate: (bytes) => {
        const pointer = this.#next;
        this.#next += Math.ceil(bytes / 256) * 256;
        this.#used += bytes;
        sizes.set(pointer, bytes);
        this.allocations.push(bytes);
        return pointer;
      },
      free: (pointer) => {
        this.#used -= sizes.get(pointer) ?? 0;
      },
      memory: () => ({ free: total - this.#used, total }),
    };
  }
}

describe('a plan of memory', () => {
  it('has a place for every piece, none over another that is there at the same time', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const lifetimes = randomLifetimes(seed);
      const plan = planMemory(lifetimes);
      assert.equal(plan.pieces.length, lifetimes.length);
      assert.ok(
        plan.pieces.every(({ offset, bytes }, index) => offset >= 0 && bytes >= (lifetimes[index]?.bytes ?? 0)),
      );
      assert.ok(plan.pieces.every(({ offset, bytes }) => offset % 256 === 0 && offset + bytes <= plan.bytes));
      assert.equal(overlaps(plan), false);
    }
  });

  it('needs little more than what is there at once, and never less', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { bytes, least } = planMemory(randomLifetimes(seed));
      assert.ok(bytes >= least && bytes <= 1.25 * least, `${bytes} of at least ${least}`);
    }
  });

  it('lets pieces that are never there together share a place', () => {
    const lifetimes = [0, 2, 4].map((from) => ({ bytes: 1000, from, to: from + 1 }));
    assert.equal(planMemory(lifetimes).bytes, 1024);
  });
});

describe('the memory of a pass', () => {
  const lifetimes = [
    { bytes: 1000, from: 0, to: 3 },
    { bytes: 500, from: 1, to: 2 },
    { bytes: 800, from: 4, to: Number.POSITIVE_INFINITY },
  ];

  function memory() {
    const gpu = new CountingGpu(2 ** 20);
    const pool = new MemoryPool(gpu.gpu);
    const passes = new PassMemory(pool);
    const plan = planMemory(lifetimes);
    passes.adopt([plan]);
    return { gpu, passes, plan };
  }

  it('comes from one allocation, in each pass the same places', () => {
    const { gpu, passes, plan } = memory();
    const places = [0, 1].map(() => {
      passes.begin(plan);
      const [one, two] = [passes.take(900), passes.take(500)];
      passes.give(two, 500);
      passes.give(one, 900);
      const three = passes.take(10);
      passes.end();
      return [one, two, three];
    });
    assert.deepEqual(places[0], places[1]);
    assert.deepEqual(gpu.allocations, [plan.bytes]);
  });

  it('comes from the pool where a pass does other than planned', () => {
    const { gpu, passes, plan } = memory();
    passes.begin(plan);
    const one = passes.take(1000);
    passes.give(one, 1000);
    // Planned was another piece before this one was given back.
    passes.take(500);
    passes.take(800);
    passes.begin(plan);
    passes.take(2000);
    assert.equal(gpu.allocations.length, 4);
  });
});

describe('passes on a GPU', () => {
  const config = TINY.qwen3;
  const late: Objective = (logProbs) => ({ loss: 0, gradient: new Float64Array(logProbs.length) });
  const packs: PackedBatch[] = [
    packTexts([answerAfter(1, randomTokens(64, config.vocab, 1))]),
    packTexts([answerAfter(2, randomTokens(12, config.vocab, 1)), answerAfter(5, randomTokens(9, config.vocab, 2))]),
    packShared(randomTokens(7, config.vocab, 3), [
      randomTokens(5, config.vocab, 4),
      randomTokens(6, config.vocab, 5),
      randomTokens(2, config.vocab, 6),
    ]),
    packTexts([{ tokens: [1, 2, 3], loss: [false, false, false] }]),
  ];

  async function engineOn(gpu: Gpu, recompute: RecomputeMode | null = null): Promise<BackendEngine> {
    const adapter = randomAdapter(config, 3);
    const backend = new CudaBackend(gpu, new IdleMultiplier(), adapter.r);
    const weights = await loadWeights(backend, randomModel(config, 1));
    const device = { name: 'none', peakFlops: null };
    return new BackendEngine(backend, weights, trainAdapter(backend, config, adapter), device, recompute);
  }

  for (const mode of ['none', 'cheap', 'mlp', 'block'] as const)
    it(`take nothing more from the driver once they are planned (${mode})`, async () => {
      const { gpu, allocations } = new CountingGpu(2 ** 40);
      const engine = await engineOn(gpu, mode);
      const table = await engine.plan(64);
      assert.match(table ?? '', /^GPU memory for packs of 64 tokens;(.|\n)*activations kept/);
      const before = engine.memory();
      const count = allocations.length;
      for (const batch of packs) {
        await engine.accumulate(batch, sftObjective(10));
        await engine.accumulate(batch, late);
        await engine.evaluate(batch);
        await engine.evaluate(batch, { adapter: false });
      }
      // Tables of a pack, which are small, come from the pool.
      assert.deepEqual(
        allocations.slice(count).filter((bytes) => bytes > 2048),
        [],
      );
      assert.ok(engine.memory() - before < 64 * 1024);
    });

  it('keep the most that fits, and are refused before the first step where nothing does', async () => {
    const needed = async (mode: RecomputeMode) => {
      const { gpu, allocations } = new CountingGpu(2 ** 40);
      const engine = await engineOn(gpu, mode);
      await engine.plan(64);
      const arena = allocations.at(-1) ?? 0;
      return { arena, held: engine.memory() - arena };
    };
    const none = await needed('none');
    const [cheap, mlp, block] = [await needed('cheap'), await needed('mlp'), await needed('block')];
    assert.ok(none.arena > cheap.arena && cheap.arena > mlp.arena && mlp.arena > block.arena);
    for (const [{ arena, held }, words] of [
      [none, 'nothing is computed again'],
      [cheap, 'nothing that costs a matrix product is'],
      [mlp, 'gate and up are computed again'],
      [block, 'whole blocks are computed again'],
    ] as const) {
      // Left to the driver, and the output of the largest product (q, k and v of the first block in float32) for its trial.
      const total = held + arena + 512 * 2 ** 20 + 64 * 8 * 128 * 4;
      const engine = await engineOn(new CountingGpu(total).gpu);
      assert.match((await engine.plan(64)) ?? '', new RegExp(words));
    }
    const engine = await engineOn(new CountingGpu(block.held + 512 * 2 ** 20).gpu);
    await assert.rejects(engine.plan(64), { code: 'gpu_memory' });
  });
});
