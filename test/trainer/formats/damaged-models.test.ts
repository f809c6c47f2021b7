import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toHuggingFaceName } from '../../../python-free-trainer/src/io/gguf-names.ts';
import { readGguf } from '../../../python-free-trainer/src/io/gguf-read.ts';
import { SafetensorsFile } from '../../../python-free-trainer/src/io/safetensors.ts';
import { openWeights } from '../../../python-free-trainer/src/io/weights.ts';
import type { ModelConfig } from '../../../python-free-trainer/src/model/config.ts';
import { Random } from '../../../src/core/score/statistics/random.ts';
import { AppError } from '../../../src/protocol/errors.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';
import { randomModel, TINY } from '../support/models.ts';
import { expectRefused } from './expect.ts';
import { writeFolder } from './make-folder.ts';
import { ggufFile, modelMetadata, modelTensors, type RawTensor, text } from './make-gguf.ts';

const PLACES = 200;
const CODES = ['model_missing', 'model_unreadable', 'model_unsupported', 'tensor_missing'];
/** No damage may make a reader ask for more than this beyond what the sound file needs. */
const MOST_BYTES = 64 << 20;

/** A stretch of a file whose numbers nothing else in it says: damage in there is not to be seen without a hash. */
interface Unguarded {
  from: number;
  to: number;
  /** What may differ: a field of the configuration, or a tensor. */
  what: string;
}

interface Reading {
  config: ModelConfig;
  tensors: Map<string, Float32Array>;
}

async function readAll(path: string): Promise<Reading> {
  const source = await openWeights(path);
  try {
    const tensors = new Map<string, Float32Array>();
    for (const name of source.shapes.keys()) tensors.set(name, await source.read(name));
    return { config: source.config, tensors };
  } finally {
    await source.close();
  }
}

/** Names of fields and tensors in which two readings differ. */
function differences(a: Reading, b: Reading): string[] {
  const fields = Object.entries(a.config).filter(([key, value]) => {
    const other: unknown = Object.entries(b.config).find(([name]) => name === key)?.[1];
    return JSON.stringify(other) !== JSON.stringify(value);
  });
  const tensors = [...a.tensors].filter(
    ([name, values]) =>
      !Buffer.from(values.buffer).equals(Buffer.from(b.tensors.get(name)?.buffer ?? new ArrayBuffer())),
  );
  return [...fields, ...tensors].map(([name]) => name);
}

/** The value of a field of config.json. */
function jsonValue(file: Buffer, field: string, what: string): Unguarded {
  const match = new RegExp(`"${field}": ([^,\\n]+)`).exec(file.toString('latin1'));
  assert.ok(match?.[1]);
  const to = match.index + match[0].length;
  return { from: to - match[1].length, to, what };
}

/** The four bytes of a value in a GGUF file, behind its key and its type. */
function ggufValue(file: Buffer, key: string, what: string): Unguarded {
  const from = file.indexOf(key) + key.length + 4;
  assert.ok(from > key.length + 4);
  return { from, to: from + 4, what };
}

describe('damaged model files', () => {
  let folder: TemporaryFolder;
  before(() => {
    folder = temporaryFolder();
  });
  after(() => folder.remove());

  /**
   * Damages one file at seeded places, by cutting it off and by turning single bits, half of them in its first `header`
   * bytes, and reads the model each time: an AppError, or the same model but for what the turned bit alone says.
   */
  async function damage(model: string, file: string, header: number, unguarded: readonly Unguarded[]): Promise<void> {
    const sound = readFileSync(file);
    const expected = await readAll(model);
    const random = new Random(6);
    const counts = { refused: 0, same: 0, unseen: 0 };
    const before = process.memoryUsage().arrayBuffers;
    for (let place = 0; place < 2 * PLACES; place++) {
      const cut = place % 2 === 0;
      const at = random.below(place % 4 < 2 ? header : sound.length);
      const bytes = cut ? sound.subarray(0, at) : Buffer.from(sound);
      if (!cut) bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      writeFileSync(file, bytes);
      const may = cut ? [] : unguarded.filter(({ from, to }) => at >= from && at < to).map(({ what }) => what);
      const reading = await readAll(model).catch((error: unknown) => {
        assert.ok(error instanceof AppError && CODES.includes(error.code), `at ${at}: ${error}`);
        return null;
      });
      const different = reading ? differences(expected, reading) : [];
      assert.deepEqual(
        different.filter((what) => !may.includes(what)),
        [],
        `${cut ? 'cut' : 'bit turned'} at ${at}`,
      );
      counts[reading === null ? 'refused' : different.length === 0 ? 'same' : 'unseen']++;
      assert.ok(process.memoryUsage().arrayBuffers - before < MOST_BYTES, `at ${at}`);
    }
    writeFileSync(file, sound);
    assert.deepEqual(differences(expected, await readAll(model)), []);
    assert.ok(counts.refused >= PLACES, JSON.stringify(counts));
  }

  for (const [kind, config] of Object.entries(TINY))
    it(`GGUF of ${kind}: an error or a right read at ${PLACES} cuts and ${PLACES} turned bits; only weights, the rotation's base and factors, epsilon and longest text are not guarded`, async () => {
      const file = join(folder.path, `${kind}.gguf`);
      const source = randomModel(config, 11);
      const metadata = modelMetadata(config);
      metadata.set('tokenizer.ggml.model', text('gpt2'));
      const tokens = Array.from({ length: config.vocab }, (_, index) => `<${index}>`);
      metadata.set('tokenizer.ggml.tokens', { type: 'array', of: 'string', values: tokens });
      writeFileSync(file, ggufFile({ metadata, tensors: await modelTensors(source) }));
      const bytes = readFileSync(file);
      const gguf = await readGguf(file);
      await gguf.close();
      const tensors = [...gguf.tensors.values()];
      const unguarded = [
        ggufValue(bytes, `${kind}.rope.freq_base`, 'ropeTheta'),
        ggufValue(bytes, `${kind}.attention.layer_norm_rms_epsilon`, 'rmsEps'),
        ggufValue(bytes, `${kind}.context_length`, 'maxPositions'),
        ...tensors.map(({ name, position, bytes: length }) => ({
          from: position,
          to: position + length,
          what: huggingFaceName(name),
        })),
      ];
      await damage(file, file, Math.min(...tensors.map(({ position }) => position)), unguarded);
    });

  it('GGUF with quantised weights: the same', async () => {
    const file = join(folder.path, 'quantised.gguf');
    const config = { ...TINY.llama, hidden: 32, ffn: 32, ropeFactors: null };
    const random = new Random(1);
    const tensors = (await modelTensors(randomModel(config, 1))).map((tensor): RawTensor => {
      const [rows = 1, columns] = tensor.shape;
      if (columns === undefined) return tensor;
      const blocks = Uint8Array.from({ length: ((rows * columns) / 32) * 18 }, () => random.uint32() & 0xbb);
      return { ...tensor, type: 2, bytes: blocks };
    });
    const metadata = modelMetadata(config);
    writeFileSync(file, ggufFile({ metadata, tensors }));
    const bytes = readFileSync(file);
    const gguf = await readGguf(file);
    await gguf.close();
    const placed = [...gguf.tensors.values()];
    await damage(file, file, Math.min(...placed.map(({ position }) => position)), [
      ggufValue(bytes, 'llama.rope.freq_base', 'ropeTheta'),
      ggufValue(bytes, 'llama.attention.layer_norm_rms_epsilon', 'rmsEps'),
      ggufValue(bytes, 'llama.context_length', 'maxPositions'),
      ...placed.map((t) => ({ from: t.position, to: t.position + t.bytes, what: huggingFaceName(t.name) })),
    ]);
  });

  it(`safetensors: an error or a right read at ${PLACES} cuts and ${PLACES} turned bits; only the weights are not guarded`, async () => {
    const model = join(folder.path, 'safetensors');
    await writeFolder(model, randomModel(TINY.qwen3, 2));
    const file = join(model, 'model.safetensors');
    const open = await SafetensorsFile.open(file);
    await open.close();
    const entries = [...open.tensors.values()];
    const unguarded = entries.map(({ name, position, bytes }) => ({
      from: position,
      to: position + bytes,
      what: name,
    }));
    await damage(model, file, Math.min(...entries.map(({ position }) => position)), unguarded);
  });

  it(`config.json: an error or a right read at ${PLACES} cuts and ${PLACES} turned bits; only the rotation's base, epsilon and longest text are not guarded`, async () => {
    for (const config of [TINY.qwen3, { ...TINY.llama, ropeFactors: null, ropeScaling: LLAMA3 }]) {
      const model = join(folder.path, `config-${config.architecture}`);
      await writeFolder(model, randomModel(config, 2));
      const file = join(model, 'config.json');
      const bytes = readFileSync(file);
      const scaling = ['factor', 'low_freq_factor', 'high_freq_factor', 'original_max_position_embeddings'];
      const unguarded = [
        jsonValue(bytes, 'rope_theta', 'ropeTheta'),
        jsonValue(bytes, 'rope_theta', 'ropeFactors'),
        jsonValue(bytes, 'rms_norm_eps', 'rmsEps'),
        jsonValue(bytes, 'max_position_embeddings', 'maxPositions'),
        ...(config.ropeScaling ? scaling : []).flatMap((field) => [
          jsonValue(bytes, field, 'ropeScaling'),
          jsonValue(bytes, field, 'ropeFactors'),
        ]),
      ];
      await damage(model, file, bytes.length, unguarded);
    }
  });

  it(`model.safetensors.index.json: an error or a right read at ${PLACES} cuts and ${PLACES} turned bits`, async () => {
    const model = join(folder.path, 'index');
    await writeFolder(model, randomModel(TINY.qwen2, 2), { shards: 3 });
    const file = join(model, 'model.safetensors.index.json');
    await damage(model, file, readFileSync(file).length, []);
  });

  it('that are pipes, devices, empty, or folders without files are refused at once', async () => {
    const path = (name: string): string => join(folder.path, name);
    if (process.platform !== 'win32') {
      execFileSync('mkfifo', [path('pipe.gguf')]);
      await expectRefused(path('pipe.gguf'), 'model_unreadable', /not a regular file/);
      await expectRefused('/dev/zero', 'model_unreadable', /not a regular file/);
      mkdirSync(path('piped'));
      execFileSync('mkfifo', [join(path('piped'), 'config.json')]);
      await expectRefused(path('piped'), 'model_unreadable', /not a regular file/);
    }
    writeFileSync(path('empty.gguf'), '');
    await expectRefused(path('empty.gguf'), 'model_unreadable', /is empty/);
    mkdirSync(path('bare'));
    await expectRefused(path('bare'), 'model_missing', /config.json/);
    writeFileSync(join(path('bare'), 'config.json'), '');
    await expectRefused(path('bare'), 'model_unreadable', /is empty/);
    await expectRefused(path('nowhere'), 'model_missing', /There is no model/);
    await expectRefused(join(path('empty.gguf'), 'within'), 'model_missing', /There is no model/);
  });

  it('that shrink or change while they are open are noticed', async () => {
    const gguf = join(folder.path, 'open.gguf');
    const source = randomModel(TINY.qwen3, 1);
    writeFileSync(gguf, ggufFile({ metadata: modelMetadata(source.config), tensors: await modelTensors(source) }));
    const model = join(folder.path, 'open');
    await writeFolder(model, source);
    for (const [path, file] of [
      [gguf, gguf],
      [model, join(model, 'model.safetensors')],
    ] as const) {
      const weights = await openWeights(path);
      await weights.read('model.norm.weight');
      utimesSync(file, new Date(0), new Date(0));
      await assert.rejects(weights.read('model.norm.weight'), { code: 'model_unreadable', message: /changed while/ });
      truncateSync(file, 3000);
      await assert.rejects(weights.read('model.norm.weight'), {
        code: 'model_unreadable',
        message: /it ends after/,
      });
      await weights.close();
    }
  });
});

/** What a tensor is called where it is read; the factors of the rotation are a field of the configuration. */
function huggingFaceName(name: string): string {
  return name === 'rope_freqs.weight' ? 'ropeFactors' : (toHuggingFaceName(name) ?? name);
}

const LLAMA3 = { factor: 4, lowFrequencyFactor: 1, highFrequencyFactor: 4, originalPositions: 64 };
