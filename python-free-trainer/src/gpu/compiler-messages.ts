import type { NvrtcProgram } from '../ffi/nvrtc.ts';

/** What the process of the compiler is asked. */
export interface CompileRequest {
  /** NVRTC's file. */
  file: string;
  program: NvrtcProgram;
  /** Of the GPU, times ten: 90 for 9.0. */
  capability: number;
}

/** `problem`: a sentence without its subject, which is NVRTC. */
export type CompileReply = { version: string; cubin: Uint8Array } | { problem: string };
