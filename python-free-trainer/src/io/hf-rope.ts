import * as z from 'zod/mini';
import type { ModelConfig, RopeScaling } from '../model/config.ts';
import { modelUnreadable, modelUnsupported } from './errors.ts';
import { llama3Factors } from './rope-factors.ts';

const Maybe = <T extends z.core.$ZodType>(type: T) => z.optional(z.nullable(type));

/** `rope_scaling`, and `rope_parameters` as transformers 5 calls it and has the base in it. */
export const Rope = z.object({
  rope_type: Maybe(z.string()),
  type: Maybe(z.string()),
  rope_theta: Maybe(z.number()),
  partial_rotary_factor: Maybe(z.number()),
  factor: Maybe(z.number()),
  low_freq_factor: Maybe(z.number()),
  high_freq_factor: Maybe(z.number()),
  original_max_position_embeddings: Maybe(z.number()),
});
type Rope = z.infer<typeof Rope>;

interface RopeFields {
  rope_theta?: number | null | undefined;
  rope_scaling?: Rope | null | undefined;
  rope_parameters?: Rope | null | undefined;
  rope_interleaved?: boolean | null | undefined;
  partial_rotary_factor?: number | null | undefined;
}

/**
 * The rotation that config.json describes.
 * @throws AppError `model_unreadable` where it says nothing or contradicts itself, `model_unsupported`
 */
export function readRotation(
  path: string,
  fields: RopeFields,
  headDim: number,
): Pick<ModelConfig, 'ropeTheta' | 'ropeScaling' | 'ropeFactors'> {
  const { rope_parameters: parameters, rope_scaling: scaling } = fields;
  if (fields.rope_interleaved) throw modelUnsupported(path, 'its rotation is interleaved');
  if ((fields.partial_rotary_factor ?? parameters?.partial_rotary_factor ?? 1) !== 1)
    throw modelUnsupported(path, 'it rotates only a part of each head');
  const thetas = [parameters?.rope_theta, fields.rope_theta, scaling?.rope_theta].filter((theta) => theta != null);
  const ropeTheta = thetas[0];
  if (ropeTheta === undefined) throw modelUnreadable(path, 'the field rope_theta is missing');
  if (thetas.some((theta) => theta !== ropeTheta))
    throw modelUnreadable(path, 'its fields for the rotation contradict each other');
  const ropeScaling = readScaling(path, parameters ?? scaling ?? {});
  return { ropeTheta, ropeScaling, ropeFactors: llama3Factors({ ropeTheta, ropeScaling, headDim }) };
}

function readScaling(path: string, rope: Rope): RopeScaling | null {
  const type = rope.rope_type ?? rope.type;
  if (type === 'default') return null;
  if (type == null) {
    if (rope.factor == null) return null;
    throw modelUnreadable(path, 'it stretches its rotation and does not say how (rope_type)');
  }
  if (type !== 'llama3') throw modelUnsupported(path, `it stretches its rotation in a way that is not known: ${type}`);
  const { factor, low_freq_factor: low, high_freq_factor: high, original_max_position_embeddings: positions } = rope;
  if (factor == null || low == null || high == null || positions == null)
    throw modelUnreadable(path, 'the fields of its rope_type llama3 are incomplete');
  if (!(factor >= 1 && low > 0 && high > low && positions >= 1))
    throw modelUnreadable(path, 'the fields of its rope_type llama3 do not fit each other');
  return { factor, lowFrequencyFactor: low, highFrequencyFactor: high, originalPositions: positions };
}
