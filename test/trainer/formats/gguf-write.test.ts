import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gguf } from '@huggingface/gguf';
import type { TypedValue } from '../../../python-free-trainer/src/io/gguf-bytes.ts';
import { copyMetadata } from '../../../python-free-trainer/src/io/gguf-copy.ts';
import { readGguf } from '../../../python-free-trainer/src/io/gguf-read.ts';
import { writeGguf } from '../../../python-free-trainer/src/io/gguf-write.ts';
import { toStored } from '../../../python-free-trainer/src/io/quantise.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const VALUES = new Map<string, TypedValue>([
  ['general.architecture', { type: 'string', value: 'llama' }],
  ['of.uint8', { type: 'uint8', value: 255 }],
  ['of.int8', { type: 'int8', value: -128 }],
  ['of.uint16', { type: 'uint16', value: 65535 }],
  ['of.int16', { type: 'int16', value: -32768 }],
  ['of.uint32', { type: 'uint32', value: 4294967295 }],
  ['of.int32', { type: 'int32', value: -2147483648 }],
  ['of.float32', { type: 'float32', value: 0.5 }],
  ['of.bool', { type: 'bool', value: true }],
  ['of.text', { type: 'string', value: 'Größe 🦆\n' }],
  ['of.uint64', { type: 'uint64', value: 2n ** 63n + 1n }],
  ['of.int64', { type: 'int64', value: -(2n ** 62n) - 1n }],
  ['of.float64', { type: 'float64', value: Math.PI }],
  ['of.texts', { type: 'array', of: 'string', values: ['', 'a b', 'Ġ'] }],
  ['of.numbers', { type: 'array', of: 'int32', values: [1, -2, 3] }],
  ['of.nothing', { type: 'array', of: 'float32', values: [] }],
]);

/** What a value reads as. */
function plain(value: TypedValue | undefined): unknown {
  return value?.type === 'array' ? value.values : value?.type === 'copy' ? null : value?.value;
}

const NUMBERS = Float32Array.from({ length: 96 }, (_, i) => (i - 48) / 16);

function tensors() {
  return [
    { name: 'odd', shape: [3], type: 'F32' as const, data: () => [toStored('F32', NUMBERS.subarray(0, 3))] },
    { name: 'halves', shape: [3, 32], type: 'F16' as const, data: () => [toStored('F16', NUMBERS)] },
    {
      name: 'blocks',
      shape: [3, 32],
      type: 'Q8_0' as const,
      // In pieces, as large tensors are written.
      data: () => [0, 32, 64].map((from) => toStored('Q8_0', NUMBERS.subarray(from, from + 32))),
    },
  ];
}

describe('writing GGUF files', () => {
  const temporary = temporaryFolder();
  const path = join(temporary.path, 'written.gguf');
  before(() => writeGguf(path, VALUES, tensors()));
  after(() => temporary.remove());

  it("writes metadata of every type and tensors as Hugging Face's reader finds them", async () => {
    const { metadata, tensorInfos, tensorDataOffset } = await gguf(path, { allowLocalFile: true });
    const found: Record<string, unknown> = { ...metadata };
    for (const [key, value] of VALUES) assert.deepEqual(found[key], plain(value), key);
    assert.deepEqual(
      tensorInfos.map(({ name, shape, dtype, offset }) => [name, shape.map(Number), dtype, Number(offset)]),
      [
        ['odd', [3], 0, 0],
        ['halves', [32, 3], 1, 32],
        ['blocks', [32, 3], 8, 224],
      ],
    );
    assert.equal(Number(tensorDataOffset) % 32, 0);
    assert.equal(readFileSync(path).length, Number(tensorDataOffset) + 224 + 128);
  });

  it('writes tensors whose bytes are read back as they were, each at a multiple of 32', async () => {
    const file = await readGguf(path);
    for (const { name, shape, data } of tensors()) {
      const tensor = file.tensors.get(name);
      assert.ok(tensor);
      assert.deepEqual(tensor.shape, shape);
      assert.equal(tensor.position % 32, 0);
      assert.deepEqual(Buffer.from(await file.readRaw(tensor)), Buffer.concat(data()));
    }
    await file.close();
  });

  it('copies the metadata of another file byte for byte', async () => {
    const copy = join(temporary.path, 'copy.gguf');
    await writeGguf(copy, await copyMetadata(path), tensors());
    assert.ok(readFileSync(copy).equals(readFileSync(path)));
  });

  it('leaves what was there before, and nothing else, when it fails in the middle', async () => {
    const place = join(temporary.path, 'kept.gguf');
    writeFileSync(place, 'kept');
    const before = readdirSync(temporary.path);
    const broken = { name: 'x', shape: [32], type: 'F32' as const };
    const fail = (): Iterable<Uint8Array> => {
      throw new Error('no more');
    };
    await assert.rejects(writeGguf(place, VALUES, [...tensors(), { ...broken, data: fail }]), /no more/);
    assert.equal(readFileSync(place, 'utf8'), 'kept');
    assert.deepEqual(readdirSync(temporary.path), before);
    const nowhere = join(temporary.path, 'no', 'such.gguf');
    await assert.rejects(writeGguf(nowhere, VALUES, tensors()), { code: 'file_not_written' });
    assert.ok(!existsSync(nowhere));
  });
});
