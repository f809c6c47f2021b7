import { type StepEvent, TrainingEvent } from '../../protocol/training.ts';

const NUMBERS = [
  ...['step', 'epoch', 'loss', 'lr', 'grad_norm', 'tokens', 'plain_tokens', 'loss_tokens', 'tokens_per_s'],
  ...['memory', 'ms'],
] as const;

/** Nearly all lines are steps: a look at their fields takes a tenth of the time that the whole schema does. */
function isStep(value: unknown): value is StepEvent {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Record<string, unknown>;
  if (fields['kind'] !== 'step') return false;
  const { share } = fields;
  return (share === null || typeof share === 'number') && NUMBERS.every((name) => typeof fields[name] === 'number');
}

/** The event of a line of `events.jsonl`; null where it is none, such as one that a crash cut off. */
export function parseTrainingEvent(line: string): TrainingEvent | null {
  try {
    const value: unknown = JSON.parse(line);
    if (isStep(value)) return value;
    const parsed = TrainingEvent.safeParse(value);
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
