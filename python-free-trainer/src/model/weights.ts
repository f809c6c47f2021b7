import type { Backend, Tensor } from '../backend/backend.ts';
import type { WeightSource } from '../io/weight-source.ts';
import type { ModelConfig } from './config.ts';
import { MEMBERS, type ProjectionName, targetName, targetPlace } from './targets.ts';

/** A frozen linear layer, or several below each other: [out, in], and [1, out] or null. */
export interface Linear {
  weight: Tensor;
  bias: Tensor | null;
}

/** Frozen weights of one block. Norms are [1, size]. */
export interface LayerWeights extends Record<ProjectionName, Linear> {
  inputNorm: Tensor;
  /** Norms of each head of q and k (Qwen3). */
  headNorms: { q: Tensor; k: Tensor } | null;
  postNorm: Tensor;
}

/** All frozen weights of a model on a device. */
export interface ModelWeights {
  config: ModelConfig;
  /** [vocab, hidden]. */
  embed: Tensor;
  layers: LayerWeights[];
  finalNorm: Tensor;
  /** [vocab, hidden]; the same tensor as `embed` where they are tied. */
  head: Tensor;
  /** Elements of all of them. */
  parameters: number;
}

/**
 * Reads a model's weights and brings them to the device, one matrix at a time.
 *
 * @throws AppError what the source throws: `tensor_missing`, `model_unreadable`
 */
export async function loadWeights(backend: Backend, source: WeightSource): Promise<ModelWeights> {
  const { config } = source;
  const loader = new Loader(backend, source);
  const embed = await loader.matrix(['model.embed_tokens.weight'], [config.vocab], config.hidden);
  const layers: LayerWeights[] = [];
  for (let layer = 0; layer < config.layers; layer++) layers.push(await loader.layer(layer));
  const finalNorm = await loader.matrix(['model.norm.weight'], [1], config.hidden);
  const head = config.tied ? embed : await loader.matrix(['lm_head.weight'], [config.vocab], config.hidden);
  return { config, embed, layers, finalNorm, head, parameters: loader.parameters };
}

class Loader {
  parameters = 0;
  readonly #backend: Backend;
  readonly #source: WeightSource;
  #scratch = new Float32Array(0);

  constructor(backend: Backend, source: WeightSource) {
    this.#backend = backend;
    this.#source = source;
  }

  /** Tensors of equal width, one below the other. */
  async matrix(names: readonly string[], rows: readonly number[], cols: number): Promise<Tensor> {
    const total = rows.reduce((sum, count) => sum + count, 0);
    if (this.#scratch.length < total * cols) this.#scratch = new Float32Array(total * cols);
    let row = 0;
    for (const [index, name] of names.entries()) {
      const count = rows[index] ?? 0;
      await this.#source.read(name, this.#scratch.subarray(row * cols, (row + count) * cols));
      row += count;
    }
    this.parameters += total * cols;
    // Vectors are exact everywhere.
    const kind = total === 1 || cols === 1 ? 'exact' : 'weight';
    return this.#backend.tensor(total, cols, this.#scratch.subarray(0, total * cols), kind);
  }

  async layer(layer: number): Promise<LayerWeights> {
    const { hidden, headDim, qkNorm } = this.#source.config;
    const name = `model.layers.${layer}`;
    return {
      inputNorm: await this.matrix([`${name}.input_layernorm.weight`], [1], hidden),
      qkv: await this.#linear(layer, 'qkv', this.#source.config.qkvBias),
      headNorms: qkNorm
        ? {
            q: await this.matrix([`${name}.self_attn.q_norm.weight`], [1], headDim),
            k: await this.matrix([`${name}.self_attn.k_norm.weight`], [1], headDim),
          }
        : null,
      output: await this.#linear(layer, 'output', false),
      postNorm: await this.matrix([`${name}.post_attention_layernorm.weight`], [1], hidden),
      gateUp: await this.#linear(layer, 'gateUp', false),
      down: await this.#linear(layer, 'down', false),
    };
  }

  async #linear(layer: number, projection: ProjectionName, biased: boolean): Promise<Linear> {
    const names = MEMBERS[projection].map((target) => targetName(layer, target));
    const places = MEMBERS[projection].map((target) => targetPlace(this.#source.config, target));
    const rows = places.map((place) => place.out);
    const width = places[0]?.in ?? 0;
    const weight = await this.matrix(
      names.map((of) => `${of}.weight`),
      rows,
      width,
    );
    return { weight, bias: biased ? await this.#bias(names, rows) : null };
  }

  async #bias(names: readonly string[], rows: readonly number[]): Promise<Tensor> {
    const column = await this.matrix(
      names.map((of) => `${of}.bias`),
      rows,
      1,
    );
    const values = await this.#backend.read(column);
    this.#backend.free(column);
    return this.#backend.tensor(1, values.length, values, 'exact');
  }
}
