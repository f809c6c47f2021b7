import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gemm } from '../../../python-free-trainer/src/backend/cpu/gemm.ts';
import type { Matrix } from '../../../python-free-trainer/src/backend/cpu/matrix.ts';
import { Threads } from '../../../python-free-trainer/src/backend/cpu/threads.ts';
import { AppError } from '../../../src/protocol/errors.ts';
import { packageRoot } from '../../../src/runtime/paths.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { randomFloats, sharedCopy } from './random-floats.ts';

const SIDE = 200;

function square(data: Matrix['data']): Matrix {
  return { data, rows: SIDE, cols: SIDE };
}

function product(threads: Threads): number[] {
  const a = square(sharedCopy(threads, randomFloats(1, SIDE * SIDE)));
  const c = square(threads.allocate(SIDE * SIDE));
  gemm(threads, c, a, a);
  return [...c.data];
}

describe('threads of the CPU backend', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());
  const one = new Threads(1);

  function entry(name: string, text: string): string {
    const file = join(folder.path, name);
    writeFileSync(file, text);
    return file;
  }

  /** Runs jobs, with turns of the event loop between, until one is refused. */
  async function refusal(threads: Threads): Promise<unknown> {
    for (;;) {
      try {
        product(threads);
      } catch (error) {
        return error;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('do a job before the workers have started, and thousands of small ones after', async () => {
    const threads = new Threads(3);
    assert.deepEqual(product(threads), product(one));
    const c: Matrix = { data: threads.allocate(60 * 8), rows: 60, cols: 8 };
    const a: Matrix = { data: sharedCopy(threads, randomFloats(2, 480)), rows: 60, cols: 8 };
    const b: Matrix = { data: sharedCopy(threads, randomFloats(3, 64)), rows: 8, cols: 8 };
    const args = { c, a, b, options: {}, along: 'rows', unit: 4 } as const;
    threads.run('gemm', 15, args);
    const expected = [...c.data];
    for (let i = 0; i < 3000; i++) {
      c.data.fill(-1);
      threads.run('gemm', 15, args);
      assert.deepEqual([...c.data], expected);
    }
    await threads.close();
  });

  it('compute on arrays that are not shared too, on the calling thread', async () => {
    const threads = new Threads(2);
    const a = square(randomFloats(1, SIDE * SIDE));
    const c = square(new Float32Array(SIDE * SIDE));
    gemm(threads, c, a, a);
    assert.deepEqual([...c.data], product(one));
    await threads.close();
  });

  it('report what a kernel threw, and go on with the next job', async () => {
    const threads = new Threads(2);
    const qkv = threads.allocate(8);
    const broken = { c: null, a: square(qkv), b: square(qkv), options: {}, along: 'rows', unit: 1 };
    for (let i = 0; i < 20; i++) assert.throws(() => threads.run('gemm', 100, broken as never), /null/);
    assert.deepEqual(product(threads), product(one));
    await threads.close();
  });

  it('refuse further jobs when a worker has failed or gone', async () => {
    for (const file of [
      entry('throws.mjs', 'throw new Error("no room for code");'),
      entry('exits.mjs', 'process.exit(3);'),
      join(folder.path, 'missing.mjs'),
    ]) {
      const threads = new Threads(2, file);
      const error = await refusal(threads);
      assert.ok(error instanceof AppError && error.code === 'compute_thread_lost', String(error));
      await threads.close();
    }
  });

  it('do not keep a process alive', () => {
    const module = pathToFileURL(join(packageRoot, 'python-free-trainer/src/backend/cpu/threads.ts')).href;
    const script = entry('ends.mjs', `import { Threads } from ${JSON.stringify(module)}; new Threads(3);`);
    const { status, signal } = spawnSync(process.execPath, [script], { timeout: 50_000 });
    assert.deepEqual({ status, signal }, { status: 0, signal: null });
  });
});
