import type { AdapterDescription, Description, ModelDescription } from './description.ts';

/** A description in lines for people. */
export function describedLines(description: Description): string[] {
  const lines = description.kind === 'model' ? modelLines(description) : adapterLines(description);
  const metadata = Object.entries(description.metadata).map(([key, value]) => `  ${key}: ${shown(value)}`);
  return metadata.length > 0 ? [...lines, 'Metadata', ...metadata] : lines;
}

function modelLines(model: ModelDescription): string[] {
  const { config } = model;
  return [
    `${model.name}: ${config.architecture}, ${count(model.parameters)} parameters, ${count(model.bytes)} bytes of ${model.container}`,
    `  layers ${config.layers}, hidden ${config.hidden}, heads ${config.heads} of ${config.headDim} (${config.kvHeads} for keys and values), feed-forward ${config.ffn}`,
    `  vocabulary ${count(config.vocab)}, output head ${config.tied ? 'shared with the embeddings' : 'of its own'}`,
    `  rotation base ${config.ropeTheta}${config.ropeFactors ? ', stretched as Llama 3 does' : ''}, up to ${count(config.maxPositions)} positions`,
    `  biases on q, k and v: ${yes(config.qkvBias)}; norms of q and k: ${yes(config.qkNorm)}; epsilon of norms ${config.rmsEps}`,
    `  tensors: ${typesText(model.types)}`,
    tokenizerLine(model),
    `  chat template: ${yes(model.chat_template)}`,
    ...(model.check ? [`  all weights finite, largest ${model.check.largest}; SHA-256 ${model.check.sha256}`] : []),
  ];
}

function tokenizerLine({ tokenizer, tokenizer_problem: problem }: ModelDescription): string {
  if (!tokenizer) return `  tokenizer: ${problem?.message ?? 'none'}`;
  const { tokens, merges, special, bos, eos, pad } = tokenizer;
  const named = Object.entries({ begins: bos, ends: eos, pads: pad }).flatMap(([role, token]) =>
    token === null ? [] : [`${role} ${token}`],
  );
  return `  tokenizer: ${count(tokens)} tokens, ${count(merges)} merges, ${special} special tokens${named.map((text) => `, ${text}`).join('')}`;
}

function adapterLines(adapter: AdapterDescription): string[] {
  const scale = adapter.rslora ? 'alpha / sqrt(r)' : 'alpha / r';
  return [
    `Adapter (LoRA, ${adapter.container}) for ${adapter.architecture ?? 'a model that it does not name'}: ${count(adapter.parameters)} parameters, ${count(adapter.bytes)} bytes`,
    `  r ${adapter.r}, alpha ${adapter.alpha}, scale ${scale}`,
    `  changes ${adapter.targets.join(', ')} in ${adapter.layers} layers`,
    `  tensors: ${typesText(adapter.types)}`,
    ...(adapter.fits ? ['  fits the base'] : []),
  ];
}

function typesText(types: Readonly<Record<string, number>>): string {
  return Object.entries(types)
    .map(([type, number]) => `${number} ${type}`)
    .join(', ');
}

function count(value: number): string {
  return value.toLocaleString('en');
}

function yes(value: boolean): string {
  return value ? 'yes' : 'no';
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll(/\s+/g, ' ') : JSON.stringify(value);
}
