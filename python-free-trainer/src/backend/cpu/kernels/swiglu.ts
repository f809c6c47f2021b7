import type { Floats } from '../matrix.ts';
import type { Kernel } from './kernel.ts';

export interface SwigluArgs {
  /** [T, width]. */
  out: Floats;
  /** [T, 2 width], all of gate first. */
  gateUp: Floats;
  width: number;
}

/** SwiGLU (Shazeer, arXiv 2002.05202): gate · σ(gate) · up. A unit is a row. */
export const swigluKernel: Kernel<SwigluArgs> = (from, to, { out, gateUp, width }) => {
  for (let row = from; row < to; row++)
    for (let i = 0; i < width; i++) {
      const gate = gateUp[row * 2 * width + i] as number;
      const up = gateUp[(row * 2 + 1) * width + i] as number;
      out[row * width + i] = (gate / (1 + Math.exp(-gate))) * up;
    }
};

export interface SwigluBackwardArgs {
  dGateUp: Floats;
  dOut: Floats;
  gateUp: Floats;
  width: number;
}

/** With σ = σ(gate): dUp = d · gate σ, dGate = d · up · σ (1 + gate (1 - σ)). A unit is a row. */
export const swigluBackwardKernel: Kernel<SwigluBackwardArgs> = (from, to, { dGateUp, dOut, gateUp, width }) => {
  for (let row = from; row < to; row++)
    for (let i = 0; i < width; i++) {
      const gate = gateUp[row * 2 * width + i] as number;
      const up = gateUp[(row * 2 + 1) * width + i] as number;
      const slope = dOut[row * width + i] as number;
      const share = 1 / (1 + Math.exp(-gate));
      dGateUp[row * 2 * width + i] = slope * up * share * (1 + gate * (1 - share));
      dGateUp[(row * 2 + 1) * width + i] = slope * gate * share;
    }
};
