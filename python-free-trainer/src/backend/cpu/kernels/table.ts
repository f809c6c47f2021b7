import { gemmKernel } from './gemm.ts';

/** Every kernel by its name; worker threads find them here. */
export const KERNELS = {
  gemm: gemmKernel,
};

export type KernelName = keyof typeof KERNELS;
export type KernelArgs = { [Name in KernelName]: Parameters<(typeof KERNELS)[Name]>[2] };
