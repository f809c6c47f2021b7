import { createHash } from 'node:crypto';
import type { HashedFile } from '../../../src/protocol/training.ts';
import type { Adapter } from '../model/adapter.ts';

/** Where an adapter comes from; written into every file that is made of it. */
export interface AdapterAbout {
  /** Name of the base model for people. */
  baseName: string;
  /** The file (or folder) of the base that it was trained on. */
  baseFile: HashedFile;
  /** SHA-256 of the training data and number of the run; null where they are not known. */
  dataHash: string | null;
  runId: string | null;
  /** The training data held repairs: queries that fail, put right. Whoever asks may then show it the error of its query. */
  repairs: boolean;
}

/** What a file tells about an adapter's origin; parts that it does not tell are null. */
export interface AdapterOrigin {
  baseName: string | null;
  baseHash: string | null;
  dataHash: string | null;
  runId: string | null;
  /** Whether it says that the adapter was trained on repairs. */
  repairs: boolean;
}

/** The value of metadata that stands for yes: a text, which every reader of metadata takes. */
export const YES = 'true';

/** The origin of an adapter whose file says nothing. */
export const UNKNOWN_ORIGIN: AdapterOrigin = {
  baseName: null,
  baseHash: null,
  dataHash: null,
  runId: null,
  repairs: false,
};

export function originOf({ baseFile, ...about }: AdapterAbout): AdapterOrigin {
  return { ...about, baseHash: baseFile.sha256 };
}

/** A sentence where an adapter's file names another base than this one; its shapes may fit all the same. Else null. */
export function otherBaseWarning(origin: AdapterOrigin, base: HashedFile): string | null {
  if (origin.baseHash === null || origin.baseHash === base.sha256) return null;
  return (
    `The adapter was trained on another base file (${origin.baseName ?? 'unnamed'}, SHA-256 ${origin.baseHash.slice(0, 12)}…) ` +
    `than ${base.path} (${base.sha256.slice(0, 12)}…). Its shapes fit, but answers may be worse.`
  );
}

/** A tensor as it stands in a file. */
export interface WrittenTensor {
  name: string;
  type: string;
  shape: readonly number[];
  bytes: Uint8Array;
}

/**
 * SHA-256 over all that an adapter's file says: the numbers, their names and shapes, scale and origin. Kept in the file, it
 * tells a damaged one, whose numbers would else be taken as they are.
 */
export function fingerprint(
  { r, alpha, rslora }: Pick<Adapter, 'r' | 'alpha' | 'rslora'>,
  { baseName, baseHash, dataHash, runId, repairs }: AdapterOrigin,
  tensors: Iterable<WrittenTensor>,
): string {
  const hash = createHash('sha256');
  const facts = [r, alpha, rslora, baseName, baseHash, dataHash, runId];
  // Only where it is said, as files that were written before it could be have other fingerprints else.
  hash.update(JSON.stringify(repairs ? [...facts, 'repairs'] : facts));
  for (const { name, type, shape, bytes } of tensors) {
    hash.update(JSON.stringify([name, type, shape]));
    hash.update(bytes);
  }
  return hash.digest('hex');
}
