import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  readSafetensors,
  SafetensorsFile,
  type TensorToWrite,
  writeSafetensors,
} from '../../../python-free-trainer/src/io/safetensors.ts';
import { AppError } from '../../../src/protocol/errors.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';

const golden = fileURLToPath(new URL('../../fixtures/trainer/golden/', import.meta.url));

describe('safetensors', () => {
  let folder: TemporaryFolder;
  let path: string;
  before(() => {
    folder = temporaryFolder();
    path = join(folder.path, 'x.safetensors');
  });
  after(() => folder.remove());

  /** Writes a file with this header and data. */
  function write(header: unknown, data: Uint8Array = new Uint8Array(8)): void {
    const json = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(json.length));
    writeFileSync(path, Buffer.concat([length, json, data]));
  }

  async function refused(words: RegExp): Promise<void> {
    await assert.rejects(SafetensorsFile.open(path), (error) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, 'model_unreadable');
      assert.match(error.message, words);
      return true;
    });
  }

  const one = (fields: object): object => ({ x: { dtype: 'F32', shape: [2], data_offsets: [0, 8], ...fields } });

  it('reads files that other programs wrote', async () => {
    const { tensors, metadata } = await readSafetensors(join(golden, 'model.safetensors'));
    assert.deepEqual(metadata, { format: 'pt' });
    assert.equal(tensors.size, 24);
    const table = tensors.get('model.embed_tokens.weight');
    assert.deepEqual([table?.dtype, table?.shape, table?.data.length], ['F32', [320, 64], 320 * 64]);
    const ids = (await readSafetensors(join(golden, 'sft.safetensors'))).tensors.get('input_ids');
    assert.ok(ids?.dtype === 'I32' && ids.data instanceof Int32Array && ids.data.every((id) => id >= 0 && id < 320));
  });

  it('gives back what it wrote, of every type', async () => {
    const tensors = new Map<string, TensorToWrite>([
      ['f32', { shape: [2, 2], data: Float32Array.of(1, -0, 3.5, 1e-45) }],
      ['odd', { shape: [3], data: Uint8Array.of(1, 2, 255) }],
      ['f64', { shape: [1], data: Float64Array.of(Math.PI) }],
      ['i32', { shape: [2, 1], data: Int32Array.of(-1, 7) }],
      ['u16', { shape: [1], data: Uint16Array.of(65535) }],
      ['scalar', { shape: [], data: Float32Array.of(4) }],
      ['none', { shape: [0, 5], data: new Float32Array(0) }],
    ]);
    await writeSafetensors(path, tensors, { run: 'r1' });
    const read = await readSafetensors(path);
    assert.deepEqual(read.metadata, { run: 'r1' });
    assert.deepEqual([...read.tensors.keys()], [...tensors.keys()]);
    for (const [name, { shape, data }] of tensors) {
      assert.deepEqual(read.tensors.get(name)?.shape, shape);
      assert.deepEqual(read.tensors.get(name)?.data, data);
    }
  });

  it('makes float32 of half precision, bfloat16 and double precision', async () => {
    const tensors = new Map<string, TensorToWrite>([
      ['f16', { dtype: 'F16', shape: [3], data: Uint16Array.of(0x3c00, 0xc100, 0x0001) }],
      ['bf16', { dtype: 'BF16', shape: [2], data: Uint16Array.of(0x3f80, 0xc020) }],
      ['f64', { shape: [1], data: Float64Array.of(0.1) }],
      ['u8', { shape: [1], data: Uint8Array.of(1) }],
    ]);
    await writeSafetensors(path, tensors);
    const file = await SafetensorsFile.open(path);
    assert.deepEqual(await file.readFloats('f16'), Float32Array.of(1, -2.5, 2 ** -24));
    assert.deepEqual((await file.read('f16')).data, Float32Array.of(1, -2.5, 2 ** -24));
    assert.deepEqual(await file.readFloats('bf16'), Float32Array.of(1, -2.5));
    assert.deepEqual(await file.readFloats('f64'), Float32Array.of(0.1));
    await assert.rejects(file.readFloats('u8'), { code: 'model_unreadable' });
    await assert.rejects(file.readFloats('other'), { code: 'tensor_missing' });
    await file.close();
  });

  it('begins its numbers at a multiple of 8', async () => {
    for (const name of ['a', 'ab', 'abc', 'abcd', 'abcde'])
      await writeSafetensors(path, new Map([[name, { shape: [1], data: Float32Array.of(1) }]])).then(() =>
        assert.equal(readFileSync(path).length % 8, 4),
      );
  });

  it('leaves nothing behind where it cannot write', async () => {
    const target = join(folder.path, 'taken');
    mkdirSync(join(target, 'inner'), { recursive: true });
    const before = readdirSync(folder.path);
    await assert.rejects(writeSafetensors(target, new Map()), { code: 'file_not_written' });
    await assert.rejects(writeSafetensors(join(folder.path, 'no', 'folder'), new Map()), { code: 'file_not_written' });
    assert.deepEqual(readdirSync(folder.path), before);
  });

  it('refuses headers that lie about the data', async () => {
    write(one({}));
    await (await SafetensorsFile.open(path)).close();
    write(one({ shape: [3] }));
    await refused(/has 8 bytes, where its shape \[3\] needs 12/);
    write(one({ shape: [-2] }));
    await refused(/does not describe the tensor x/);
    write(one({ dtype: 'F8' }));
    await refused(/unknown type F8/);
    write(one({ dtype: 'toString' }));
    await refused(/unknown type/);
    write(one({ data_offsets: [4, 12] }), new Uint8Array(12));
    await refused(/begins at byte/);
    write(one({}), new Uint8Array(7));
    await refused(/truncated/);
    write(one({}), new Uint8Array(9));
    await refused(/its header describes/);
    write({ ...one({}), y: { dtype: 'F32', shape: [2], data_offsets: [0, 8] } });
    await refused(/next free one/);
    write({ ...one({}), __metadata__: { a: 1 } });
    await refused(/metadata/);
    write('[]');
    await refused(/not a JSON object/);
    write('{"x":');
    await refused(/not a JSON object/);
  });

  it('refuses a header of absurd length before it makes room for it', async () => {
    const bytes = Buffer.alloc(64);
    for (const length of [2n ** 63n, 99_000_000n, 100n, 0n]) {
      bytes.writeBigUInt64LE(length);
      writeFileSync(path, bytes);
      await refused(/does not begin as|truncated/);
    }
    writeFileSync(path, Buffer.alloc(4));
    await refused(/too short/);
  });
});
