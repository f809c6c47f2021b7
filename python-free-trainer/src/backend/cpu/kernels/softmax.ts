import type { Floats } from '../matrix.ts';
import type { Kernel } from './kernel.ts';

export interface LogProbArgs {
  /** [rows, vocab]. */
  logits: Floats;
  vocab: number;
  targets: Int32Array;
  /** [rows, 3]: log-probability of the target, log-sum of the row, 1 where the target is the first of the most likely. */
  out: Floats;
}

/** Log-softmax at one target a row, sums in double precision. A unit is a row. */
export const logProbKernel: Kernel<LogProbArgs> = (from, to, { logits, vocab, targets, out }) => {
  for (let row = from; row < to; row++) {
    const at = row * vocab;
    let best = at;
    for (let i = at + 1; i < at + vocab; i++) if ((logits[i] as number) > (logits[best] as number)) best = i;
    const max = logits[best] as number;
    let sum = 0;
    for (let i = at; i < at + vocab; i++) sum += Math.exp((logits[i] as number) - max);
    const logSum = max + Math.log(sum);
    const target = at + (targets[row] as number);
    out[row * 3] = (logits[target] as number) - logSum;
    out[row * 3 + 1] = logSum;
    out[row * 3 + 2] = best === target ? 1 : 0;
  }
};

export interface LogProbBackwardArgs {
  /** In: logits; out: the gradient by them. */
  logits: Floats;
  vocab: number;
  targets: Int32Array;
  /** [rows, 2]: gradient by the target's log-probability, log-sum of the row. */
  rows: Floats;
}

/** d / d logit = gradient · (1 at the target - softmax), in place. A unit is a row. */
export const logProbBackwardKernel: Kernel<LogProbBackwardArgs> = (from, to, { logits, vocab, targets, rows }) => {
  for (let row = from; row < to; row++) {
    const at = row * vocab;
    const gradient = rows[row * 2] as number;
    const logSum = rows[row * 2 + 1] as number;
    const target = at + (targets[row] as number);
    const ofTarget = gradient * (1 - Math.exp((logits[target] as number) - logSum));
    for (let i = at; i < at + vocab; i++) logits[i] = -gradient * Math.exp((logits[i] as number) - logSum);
    logits[target] = ofTarget;
  }
};
