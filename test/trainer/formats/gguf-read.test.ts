import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gguf as readByOther } from '@huggingface/gguf';
import type { TypedValue } from '../../../python-free-trainer/src/io/gguf-bytes.ts';
import { readGguf } from '../../../python-free-trainer/src/io/gguf-read.ts';
import { AppError } from '../../../src/protocol/errors.ts';
import { bundledModels } from '../../../src/runtime/model/manifest.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { randomModel, TINY } from '../support/models.ts';
import { f32Tensor, type GgufParts, ggufFile, modelMetadata, modelTensors, text, whole } from './make-gguf.ts';

const EVERY_TYPE = new Map<string, TypedValue>([
  ['a.uint8', { type: 'uint8', value: 255 }],
  ['a.int8', { type: 'int8', value: -128 }],
  ['a.uint16', { type: 'uint16', value: 65535 }],
  ['a.int16', { type: 'int16', value: -32768 }],
  ['a.uint32', { type: 'uint32', value: 4294967295 }],
  ['a.int32', { type: 'int32', value: -2147483648 }],
  ['a.float32', { type: 'float32', value: 1.5 }],
  ['a.bool', { type: 'bool', value: true }],
  ['a.string', { type: 'string', value: 'größer 🙂' }],
  ['a.uint64', { type: 'uint64', value: 2n ** 60n + 1n }],
  ['a.small', { type: 'uint64', value: 12n }],
  ['a.int64', { type: 'int64', value: -5n }],
  ['a.float64', { type: 'float64', value: Math.PI }],
  ['a.strings', { type: 'array', of: 'string', values: ['', 'b', 'ŋ'] }],
  ['a.numbers', { type: 'array', of: 'int32', values: [1, -2, 3] }],
  ['a.empty', { type: 'array', of: 'float32', values: [] }],
]);

describe('GGUF files', () => {
  let folder: TemporaryFolder;
  let path: string;
  before(() => {
    folder = temporaryFolder();
    path = join(folder.path, 'x.gguf');
  });
  after(() => folder.remove());

  async function read(parts: Partial<GgufParts>) {
    writeFileSync(path, ggufFile({ metadata: new Map(), tensors: [], ...parts }));
    const file = await readGguf(path);
    await file.close();
    return file;
  }

  async function refused(bytes: Uint8Array, words: RegExp, code = 'model_unreadable'): Promise<void> {
    writeFileSync(path, bytes);
    await assert.rejects(readGguf(path), (error) => {
      assert.ok(error instanceof AppError, String(error));
      assert.equal(error.code, code);
      assert.match(error.message, words);
      return true;
    });
  }

  it('have metadata of every type', async () => {
    const { metadata, floats } = await read({ metadata: EVERY_TYPE });
    for (const [key, typed] of EVERY_TYPE) {
      const expected = typed.type === 'array' ? typed.values : typed.type === 'copy' ? null : typed.value;
      const small = typeof expected === 'bigint' && expected < 2n ** 53n ? Number(expected) : expected;
      assert.deepEqual(metadata.get(key), small, key);
    }
    assert.deepEqual([...floats], ['a.float32', 'a.float64']);
  });

  it('have lists within lists', async () => {
    const nested = Buffer.alloc(12 + 2 * 12 + 3);
    nested.writeUInt32LE(9, 0);
    nested.writeBigUInt64LE(2n, 4);
    for (const [at, values] of [
      [12, [7, 8]],
      [26, [9]],
    ] as const) {
      nested.writeBigUInt64LE(BigInt(values.length), at + 4);
      nested.set(values, at + 12);
    }
    const typed: TypedValue = { type: 'copy', bytes: Buffer.concat([Buffer.from([9, 0, 0, 0]), nested]) };
    assert.deepEqual((await read({ metadata: new Map([['a', typed]]) })).metadata.get('a'), [[7, 8], [9]]);
  });

  it('have vocabularies larger than what is read at first', async () => {
    const tokens = Array.from({ length: 150_000 }, (_, index) => `token number ${index} of very many`);
    const { metadata } = await read({
      metadata: new Map([['tokenizer.ggml.tokens', { type: 'array', of: 'string', values: tokens }]]),
    });
    assert.deepEqual(metadata.get('tokenizer.ggml.tokens'), tokens);
  });

  it('of version 2 are read as those of version 3, also with another alignment', async () => {
    const tensors = [f32Tensor('a', Float32Array.of(1, 2, 3)), f32Tensor('b', Float32Array.of(4))];
    for (const version of [2, 3])
      for (const alignment of [8, 32, 256]) {
        writeFileSync(
          path,
          ggufFile({ metadata: new Map([['general.alignment', whole(alignment)]]), tensors, version, alignment }),
        );
        const file = await readGguf(path);
        const found = [...file.tensors.values()];
        assert.deepEqual(
          found.map(({ name, shape, type }) => [name, shape, type.name]),
          [
            ['a', [3], 'F32'],
            ['b', [1], 'F32'],
          ],
        );
        assert.ok(found.every(({ position }) => position % alignment === 0));
        for (const [index, tensor] of found.entries())
          assert.deepEqual(await file.readRaw(tensor), Uint8Array.from(tensors[index]?.bytes ?? []));
        await file.close();
      }
  });

  for (const name of ['small.lora.gguf', 'tiny'])
    it(`are understood as @huggingface/gguf understands them: ${name}`, async () => {
      const source = randomModel(TINY.qwen3, 1);
      writeFileSync(path, ggufFile({ metadata: modelMetadata(source.config), tensors: await modelTensors(source) }));
      const at = name === 'tiny' ? path : join(bundledModels, name);
      const ours = await readGguf(at);
      const other = await readByOther(at, { allowLocalFile: true });
      const { version, tensor_count: tensors, kv_count: pairs } = other.metadata;
      const metadata = new Map<string, unknown>(Object.entries(other.metadata));
      assert.equal(ours.version, version);
      assert.deepEqual([ours.tensors.size, ours.metadata.size], [Number(tensors), Number(pairs)]);
      for (const [key, value] of ours.metadata) assert.deepEqual(value, metadata.get(key), key);
      const start = Math.min(...[...ours.tensors.values()].map(({ position }) => position));
      assert.deepEqual(
        [...ours.tensors.values()].map(({ name, shape, position }) => [
          name,
          shape.map(BigInt),
          BigInt(position - start),
        ]),
        other.tensorInfos.map(({ name, shape, offset }) => [name, shape.toReversed(), offset]),
      );
      await ours.close();
    });

  it('that are something else are refused', async () => {
    await refused(Buffer.from('{"hidden_size": 64}'), /does not begin as a GGUF file/);
    await refused(Buffer.from('GG'), /truncated/);
    await refused(ggufFile({ metadata: new Map(), tensors: [], version: 1 }), /version 1/, 'model_unsupported');
    await refused(ggufFile({ metadata: new Map(), tensors: [], version: 4 }), /version 4/, 'model_unsupported');
    await refused(ggufFile({ metadata: new Map(), tensors: [], version: 0x03000000 }), /big-endian/);
  });

  it('with counts, lengths and offsets that cannot be are refused without making room for them', async () => {
    const good = (): Buffer =>
      Buffer.from(ggufFile({ metadata: new Map([['k', text('v')]]), tensors: [f32Tensor('t', new Float32Array(8))] }));
    const places: [number, RegExp][] = [
      [8, /number of tensors/],
      [16, /number of metadata/],
      [24, /length of the name of metadata/],
      [37, /length of the metadata k/],
      [46, /length of the name of tensor/],
    ];
    for (const [at, words] of places)
      for (const value of [2n ** 64n - 1n, 2n ** 40n, 1_000n]) {
        const bytes = good();
        bytes.writeBigUInt64LE(value, at);
        await refused(bytes, words);
      }
    const list: TypedValue = { type: 'array', of: 'uint8', values: [1, 2] };
    const lists = Buffer.from(ggufFile({ metadata: new Map([['k', list]]), tensors: [] }));
    lists.writeBigUInt64LE(2n ** 40n, 24 + 8 + 1 + 4 + 4);
    await refused(lists, /length of the metadata k/);
  });

  it('that contradict themselves are refused', async () => {
    const a = f32Tensor('a', new Float32Array(8));
    await refused(ggufFile({ metadata: new Map(), tensors: [a, a] }), /tensor a twice/);
    await refused(ggufFile({ metadata: new Map(), tensors: [{ ...a, type: 99 }] }), /unknown type 99/);
    await refused(ggufFile({ metadata: new Map(), tensors: [{ ...a, type: 2 }] }), /rows of 8 elements, which Q4_0/);
    await refused(ggufFile({ metadata: new Map(), tensors: [{ ...a, shape: [9] }] }), /truncated/);
    await refused(
      ggufFile({
        metadata: new Map(),
        tensors: [
          { ...a, shape: [9] },
          { ...a, name: 'b' },
        ],
      }),
      /begins at byte/,
    );
    await refused(ggufFile({ metadata: new Map(), tensors: [{ ...a, shape: [2 ** 40, 2 ** 40] }] }), /truncated/);
    await refused(ggufFile({ metadata: new Map(), tensors: [{ ...a, shape: [1, 1, 1, 1, 8] }] }), /5 dimensions/);
    await refused(Buffer.concat([ggufFile({ metadata: new Map(), tensors: [a] }), Buffer.alloc(64)]), /describes/);
    for (const value of [0, 3, 2 ** 30])
      await refused(ggufFile({ metadata: new Map([['general.alignment', whole(value)]]), tensors: [a] }), /alignment/);
    const bad: TypedValue = { type: 'copy', bytes: Uint8Array.of(7, 0, 0, 0, 2) };
    await refused(ggufFile({ metadata: new Map([['k', bad]]), tensors: [] }), /neither true nor false/);
    const unknown: TypedValue = { type: 'copy', bytes: Uint8Array.of(13, 0, 0, 0, 2) };
    await refused(ggufFile({ metadata: new Map([['k', unknown]]), tensors: [] }), /unknown type 13/);
    const latin: TypedValue = { type: 'copy', bytes: Uint8Array.of(8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xe4) };
    await refused(ggufFile({ metadata: new Map([['k', latin]]), tensors: [] }), /not UTF-8/);
  });
});
