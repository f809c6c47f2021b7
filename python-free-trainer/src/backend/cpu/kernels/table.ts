import { attentionKernel } from './attention.ts';
import { attentionBackwardKernel, attentionGatherKernel } from './attention-backward.ts';
import { gemmKernel } from './gemm.ts';

/** Every kernel by its name; worker threads find them here. */
export const KERNELS = {
  gemm: gemmKernel,
  attention: attentionKernel,
  attentionBackward: attentionBackwardKernel,
  attentionGather: attentionGatherKernel,
};

export type KernelName = keyof typeof KERNELS;
export type KernelArgs = { [Name in KernelName]: Parameters<(typeof KERNELS)[Name]>[2] };
