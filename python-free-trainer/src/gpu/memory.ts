/** Where memory of the GPU comes from. Pieces begin at multiples of 256 bytes. */
export interface Memory {
  /** @throws AppError `gpu_memory` */
  take(bytes: number): number;
  /** @param bytes as they were asked for */
  give(pointer: number, bytes: number): void;
}

/** Bytes that every piece begins at a multiple of. */
export const ALIGNMENT = 256;
