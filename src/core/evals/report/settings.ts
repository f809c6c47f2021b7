import type { EvalLine } from '../../../protocol/ledger.ts';
import { isErrorShown } from '../error-shown.ts';
import { modelTitle } from '../model-title.ts';

/** A named setting of a run, as text; null where the run has none. */
export interface Setting {
  name: string;
  value: string | null;
}

/** What of a ledger line says how a run was made. */
export type RunSource = Pick<EvalLine, 'config' | 'git' | 'machine'>;

/** All that a run's numbers depend on, in the order of a report. Hashes are cut to 12 digits. */
export function settingsOf({ config, git, machine }: RunSource): Setting[] {
  const { dataset, split, items, model, decoding, prompt, score } = config;
  const values: Record<string, string | number | boolean | null> = {
    dataset: dataset.name,
    'dataset hash': short(dataset.hash),
    split: split && `${split.name} (${short(split.hash)})`,
    items: `${items.count} of ${items.of} (${short(items.hash)})`,
    provider: model.provider,
    model: modelTitle(model),
    'model hash': model.base && short(model.base),
    'adapter hash': model.adapter && short(model.adapter),
    server: model.server,
    protocol: config.protocol,
    samples: decoding.samples,
    retries: decoding.retries,
    'error shown for repair': isErrorShown(config) || null,
    turns: decoding.turns,
    prompt: prompt.name,
    linking: prompt.link,
    'query limit': `${config.timeoutMs} ms`,
    'headline metric': config.metric,
    metrics: score.metrics.join(', '),
    'scoring limit': `${score.timeoutMs} ms`,
    'order of rows': score.orderPolicy,
    'DISTINCT kept': score.keepDistinct,
    'test suite': score.suite,
    'fragile passes': score.fragile,
    program: machine.program || null,
    commit: git && `${short(git.commit)}${git.dirty ? ' with changes' : ''}`,
    node: machine.node || null,
    platform: machine.platform || null,
    processors: machine.cpus || null,
  };
  return Object.entries(values).map(([name, value]) => ({ name, value: text(value) }));
}

function text(value: string | number | boolean | null): string | null {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value === null ? null : String(value);
}

function short(hash: string): string {
  return hash.slice(0, 12);
}

/** The settings in which two runs differ. */
export function differingSettings(a: RunSource, b: RunSource): { name: string; a: string | null; b: string | null }[] {
  const ofB = settingsOf(b);
  return settingsOf(a)
    .map(({ name, value }, index) => ({ name, a: value, b: ofB[index]?.value ?? null }))
    .filter((setting) => setting.a !== setting.b);
}
