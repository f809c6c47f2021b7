import * as z from 'zod/mini';
import { WireError } from './errors.ts';
import type { QueryResult } from './query.ts';

/**
 * The messages between a pool and one sandbox child: fork IPC with `serialization: 'advanced'`, so that bigint and
 * bytes survive. A child works on one request at a time and answers each with one message of the same `id`.
 */
export const SandboxRequest = z.object({
  id: z.number(),
  /** Absolute path of the user's file. */
  db: z.string(),
  sql: z.string(),
  maxRows: z.number(),
  maxBytes: z.number(),
  maxCellBytes: z.number(),
  /** Rows that repeat an earlier one are left out. */
  distinct: z.boolean(),
  /** How long to wait for a lock of another process, in milliseconds. */
  busyMs: z.number(),
  /** A copy to read instead of `db`; null: read the file itself. */
  snapshot: z.nullable(z.string()),
});
export type SandboxRequest = z.infer<typeof SandboxRequest>;

/** What a child is told when it starts, as JSON in its first argument. */
export const SandboxStart = z.object({
  /** The pool's folder; the child removes it where the parent dies without doing so. */
  folder: z.string(),
  /** Cap of resident memory in bytes that the child watches itself; null: the parent does. */
  memoryBytes: z.nullable(z.number()),
});
export type SandboxStart = z.infer<typeof SandboxStart>;

/** Why a file cannot be read in place without leaving something beside it. */
export const SnapshotReason = z.enum(['wal_without_index', 'read_only_folder', 'hot_journal', 'changing']);
export type SnapshotReason = z.infer<typeof SnapshotReason>;

/** A result is trusted: it comes from our own child, and walking every cell would cost more than most queries. */
const Result = z.custom<QueryResult>((value) => typeof value === 'object' && value !== null && 'rows' in value);

export const SandboxReply = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('result'), id: z.number(), result: Result }),
  /** The database file itself is the matter. */
  z.object({ type: z.literal('failed'), id: z.number(), error: WireError }),
  /** Send the request again with a snapshot. */
  z.object({ type: z.literal('snapshot'), id: z.number(), reason: SnapshotReason }),
]);
export type SandboxReply = z.infer<typeof SandboxReply>;
