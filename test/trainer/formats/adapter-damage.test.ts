import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeGgufLora } from '../../../python-free-trainer/src/io/gguf-lora.ts';
import { type ReadAdapter, writePeft } from '../../../python-free-trainer/src/io/peft.ts';
import { readAdapterWithOrigin } from '../../../python-free-trainer/src/io/read-adapter.ts';
import { Random } from '../../../src/core/score/statistics/random.ts';
import { AppError } from '../../../src/protocol/errors.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { TINY } from '../support/models.ts';
import { randomAdapter, SOME_ORIGIN } from './random-adapter.ts';

const PLACES = 200;
const FILES = ['adapter_config.json', 'adapter_model.safetensors'] as const;

/** One damage: the file cut off, or one bit of it turned. Every second one lies in the first part, where the header is. */
function damage(bytes: Buffer, random: Random, index: number): Buffer {
  const at = random.below(index % 2 === 0 ? bytes.length : Math.min(bytes.length, 4096));
  if (index % 4 === 3) return bytes.subarray(0, at);
  const damaged = Buffer.from(bytes);
  damaged[at] = (damaged[at] ?? 0) ^ (1 << random.below(8));
  return damaged;
}

describe('damaged adapters', () => {
  const temporary = temporaryFolder();
  const adapter = randomAdapter(TINY.llama, 11, { r: 2, alpha: 3, rslora: true });
  const whole = join(temporary.path, 'whole');
  const gguf = `${whole}.gguf`;
  let written: Record<'peft' | 'gguf', ReadAdapter>;
  before(async () => {
    await writePeft(whole, adapter, SOME_ORIGIN);
    await writeGgufLora(gguf, adapter, TINY.llama, SOME_ORIGIN);
    written = {
      peft: await readAdapterWithOrigin(whole, TINY.llama),
      gguf: await readAdapterWithOrigin(gguf, TINY.llama),
    };
  });
  after(() => temporary.remove());

  /** Reads it; what comes is the adapter as it was, or a message. @returns whether it was refused */
  async function refused(path: string, expected: ReadAdapter, what: string): Promise<boolean> {
    try {
      const { adapter, origin } = await readAdapterWithOrigin(path, TINY.llama);
      assert.deepEqual(adapter, expected.adapter, what);
      // A turned bit in the name of a key loses what it says of the origin, and nothing else.
      for (const [key, value] of Object.entries(origin))
        if (value !== null && value !== false) assert.equal(value, expected.origin[key as keyof typeof origin], what);
      return false;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      assert.ok(error instanceof AppError, `${what}: ${error instanceof Error ? error.stack : error}`);
      assert.ok(error.message.includes(path), `${what}: ${error.message}`);
      return true;
    }
  }

  it(`of PEFT's form are refused in words or read rightly, at ${PLACES} places`, async () => {
    const random = new Random(21);
    let count = 0;
    for (let index = 0; index < PLACES; index++) {
      const folder = join(temporary.path, `peft-${index}`);
      mkdirSync(folder);
      const broken = FILES[index % 5 === 0 ? 0 : 1];
      for (const name of FILES) {
        const bytes = readFileSync(join(whole, name));
        writeFileSync(join(folder, name), name === broken ? damage(bytes, random, index) : bytes);
      }
      if (await refused(folder, written.peft, `place ${index} of ${broken}`)) count++;
    }
    assert.ok(count > PLACES * 0.7, `only ${count} were refused`);
  });

  it(`of GGUF's form are refused in words or read rightly, at ${PLACES} places`, async () => {
    const random = new Random(22);
    const bytes = readFileSync(gguf);
    let count = 0;
    for (let index = 0; index < PLACES; index++) {
      const path = join(temporary.path, `damaged-${index}.gguf`);
      writeFileSync(path, damage(bytes, random, index));
      if (await refused(path, written.gguf, `place ${index}`)) count++;
    }
    assert.ok(count > PLACES * 0.7, `only ${count} were refused`);
  });
});
