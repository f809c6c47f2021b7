import * as z from 'zod/mini';

/** An error as it crosses a process or webview boundary, and as `--json` prints it. */
export const WireError = z.object({
  code: z.string(),
  message: z.string(),
  data: z.optional(z.record(z.string(), z.unknown())),
});
export type WireError = z.infer<typeof WireError>;

/**
 * An error that a user is told. `code` is stable and is what code compares; `message` says what happened, to what, and
 * what to do. Anything that is not an `AppError` is a bug and is reported as one.
 */
export class AppError extends Error {
  readonly code: string;
  readonly data: Record<string, unknown>;

  constructor(code: string, message: string, data: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
    this.data = data;
  }
}

/** The wire form of anything thrown. A bug keeps its message under the code `internal`, without its stack. */
export function toWireError(error: unknown): WireError {
  if (error instanceof AppError) return { code: error.code, message: error.message, data: error.data };
  return { code: 'internal', message: error instanceof Error ? error.message : String(error) };
}

/** The error that a wire form stands for. */
export function fromWireError(wire: WireError): AppError {
  return new AppError(wire.code, wire.message, wire.data);
}
