import { fileURLToPath } from 'node:url';
import type { TypedValue } from '../../python-free-trainer/src/io/gguf-bytes.ts';
import { readGguf } from '../../python-free-trainer/src/io/gguf-read.ts';
import { type GgufTensorToWrite, writeGguf } from '../../python-free-trainer/src/io/gguf-write.ts';
import { readModelEntry } from '../../src/runtime/model/manifest.ts';

const SMALL = fileURLToPath(new URL('../../models/small.lora.gguf', import.meta.url));

const text = (value: string): TypedValue => ({ type: 'string', value });

/** What an adapter says it was trained for, and on. */
interface TrainedOn {
  name: string;
  sha256: string;
  repairs?: boolean;
}

/** Metadata of an adapter. @param base what it says; null: the file does not tell */
function metadataOf(base: TrainedOn | null): Map<string, TypedValue> {
  const metadata = new Map<string, TypedValue>([
    ['general.type', text('adapter')],
    ['general.architecture', text('llama')],
    ['general.tags', { type: 'array', of: 'string', values: ['lora', 'text-to-sql'] }],
    ['adapter.type', text('lora')],
    ['adapter.lora.alpha', { type: 'float32', value: 128 }],
  ]);
  if (base === null) return metadata;
  metadata.set('general.base_model.0.name', text(base.name));
  if (base.repairs === true) metadata.set('sql_agent.repairs', text('true'));
  return metadata.set('sql_agent.base_sha256', text(base.sha256));
}

/** Writes an adapter of one number: for what is told by its metadata. */
export async function emptyAdapter(path: string, base: TrainedOn | null): Promise<void> {
  const data = () => [new Uint8Array(4)];
  await writeGguf(path, metadataOf(base), [{ name: 'blk.0.attn_q.weight.lora_a', shape: [1, 1], type: 'F32', data }]);
}

/** Writes an adapter that answers as the one that comes with `small` does, and that says it was trained for `small`. */
export async function smallAdapter(path: string): Promise<void> {
  const bundled = await readGguf(SMALL);
  try {
    const tensors = [...bundled.tensors.values()].map(
      (tensor): GgufTensorToWrite => ({
        name: tensor.name,
        shape: tensor.shape,
        type: 'F16',
        data: async function* () {
          yield await bundled.readRaw(tensor);
        },
      }),
    );
    const { sha256 } = readModelEntry('small').base;
    await writeGguf(path, metadataOf({ name: 'SmolLM2-135M-Instruct', sha256 }), tensors);
  } finally {
    await bundled.close();
  }
}
