import { stat } from 'node:fs/promises';
import { type AdapterAbout, type AdapterOrigin, otherBaseWarning } from '../io/adapter-about.ts';
import { writeGgufLora } from '../io/gguf-lora.ts';
import { writeMerged } from '../io/gguf-merge.ts';
import { writePeft } from '../io/peft.ts';
import { readAdapterWithOrigin } from '../io/read-adapter.ts';
import type { WeightSource } from '../io/weight-source.ts';
import { openWeights } from '../io/weights.ts';
import type { Adapter } from '../model/adapter.ts';
import { exportCancelled, outputExists } from './errors.ts';
import type { FoundAdapter } from './find-adapter.ts';

/** What an adapter can be exported as. */
export const EXPORT_FORMS = ['peft', 'gguf', 'merged-f16', 'merged-q8_0'] as const;
export type ExportForm = (typeof EXPORT_FORMS)[number];

export interface ExportRequest {
  adapter: FoundAdapter;
  /** The base model. */
  base: string;
  to: ExportForm;
  /** A folder that is not there yet (peft), or a file. */
  out: string;
  signal: AbortSignal;
}

export interface Exported {
  adapter: Adapter;
  about: AdapterAbout;
  /** Sentences about what may be wrong. */
  warnings: string[];
}

/** A merged file is of the base that it was merged with; an adapter keeps the base that it was trained on. */
function aboutOf(source: WeightSource, origin: AdapterOrigin, { record }: FoundAdapter, merged: boolean): AdapterAbout {
  const dataHash = origin.dataHash ?? record?.data.train.sha256 ?? null;
  const runId = origin.runId ?? record?.run_id ?? null;
  const own = { baseName: source.name, baseFile: source.file, dataHash, runId, repairs: origin.repairs };
  if (merged || origin.baseHash === null) return own;
  return {
    ...own,
    baseName: origin.baseName ?? source.name,
    baseFile: { ...source.file, sha256: origin.baseHash },
  };
}

/** A source whose reading ends when the call is cancelled: writing a large model takes minutes. */
function cancellable(source: WeightSource, out: string, signal: AbortSignal): WeightSource {
  const { config, name, file, container, types, shapes } = source;
  return {
    config,
    name,
    file,
    container,
    types,
    shapes,
    read: (tensor, into) => {
      if (signal.aborted) throw exportCancelled(out);
      return source.read(tensor, into);
    },
    close: () => source.close(),
  };
}

/**
 * Writes an adapter in another form, or merged into its base. Nothing is overwritten.
 * @throws AppError `export_exists`, `cancelled`, and those of reading base and adapter and of writing
 */
export async function exportAdapter({ adapter: found, base, to, out, signal }: ExportRequest): Promise<Exported> {
  if ((await stat(out).catch(() => null)) !== null) throw outputExists(out);
  const source = await openWeights(base);
  try {
    const { adapter, origin } = await readAdapterWithOrigin(found.path, source.config);
    const about = aboutOf(source, origin, found, to.startsWith('merged'));
    if (signal.aborted) throw exportCancelled(out);
    if (to === 'peft') await writePeft(out, adapter, about);
    else if (to === 'gguf') await writeGgufLora(out, adapter, source.config, about);
    else await writeMerged(out, cancellable(source, out, signal), adapter, to === 'merged-f16' ? 'F16' : 'Q8_0', about);
    const warning = otherBaseWarning(origin, source.file);
    return { adapter, about, warnings: warning === null ? [] : [warning] };
  } finally {
    await source.close();
  }
}
