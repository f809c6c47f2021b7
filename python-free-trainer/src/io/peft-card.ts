import { type Adapter, loraScale } from '../model/adapter.ts';
import { TARGETS } from '../model/targets.ts';
import type { AdapterAbout } from './adapter-about.ts';

/** The README.md of a PEFT folder: for people, and for the pages of model hubs. */
export function modelCard(adapter: Adapter, { baseName, baseFile, dataHash, runId }: AdapterAbout): string {
  const { r, alpha, rslora, pairs } = adapter;
  const targets = TARGETS.filter((target) => pairs.some((pair) => pair.target === target));
  const layers = new Set(pairs.map(({ layer }) => layer)).size;
  const kind = rslora ? 'rank-stabilised LoRA, alpha / √r' : 'LoRA, alpha / r';
  const lines = [
    '---',
    `base_model: ${JSON.stringify(baseName)}`,
    'library_name: peft',
    'tags: [lora, text-to-sql]',
    '---',
    `# Adapter for ${baseName}`,
    '',
    `- ${kind}: r ${r}, alpha ${alpha}, scale ${Number(loraScale(adapter).toPrecision(6))}`,
    `- linear layers: ${targets.join(', ')}, in ${layers} layers`,
    `- base: SHA-256 ${baseFile.sha256}`,
    `- training data: ${dataHash === null ? 'not known' : `SHA-256 ${dataHash}`}`,
    `- run: ${runId ?? 'not known'}`,
    '',
    'Trained by sql-agent-trainer. The same facts stand in the metadata of `adapter_model.safetensors`.',
    '',
  ];
  return lines.join('\n');
}
