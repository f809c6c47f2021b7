import { attentionKernel } from './attention.ts';
import { attentionBackwardKernel, attentionGatherKernel } from './attention-backward.ts';
import { adamwKernel, addBiasKernel } from './elementwise.ts';
import { gemmKernel } from './gemm.ts';
import { normBackwardKernel, normKernel } from './norm.ts';
import { rotateBackwardKernel, rotateKernel } from './rotate.ts';
import { logProbBackwardKernel, logProbKernel } from './softmax.ts';
import { swigluBackwardKernel, swigluKernel } from './swiglu.ts';

/** Every kernel by its name; worker threads find them here. */
export const KERNELS = {
  gemm: gemmKernel,
  attention: attentionKernel,
  attentionBackward: attentionBackwardKernel,
  attentionGather: attentionGatherKernel,
  addBias: addBiasKernel,
  norm: normKernel,
  normBackward: normBackwardKernel,
  rotate: rotateKernel,
  rotateBackward: rotateBackwardKernel,
  swiglu: swigluKernel,
  swigluBackward: swigluBackwardKernel,
  logProb: logProbKernel,
  logProbBackward: logProbBackwardKernel,
  adamw: adamwKernel,
};

export type KernelName = keyof typeof KERNELS;
export type KernelArgs = { [Name in KernelName]: Parameters<(typeof KERNELS)[Name]>[2] };
