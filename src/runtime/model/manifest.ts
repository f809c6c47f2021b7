import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { packageRoot } from '../paths.ts';

/** A file with what it must hold. `file` is a bare name. */
const ModelFile = z.object({ file: z.string(), bytes: z.number(), sha256: z.string() });
export type ModelFile = z.infer<typeof ModelFile>;

/** Python wheels `<package>1` … `<package><count>`, each with one piece of a file as `data/part*.bin`. */
const Wheels = z.object({ package: z.string(), version: z.string(), count: z.number() });
export type Wheels = z.infer<typeof Wheels>;

const Base = z.object({
  ...ModelFile.shape,
  from: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('parts'), parts: z.array(ModelFile) }),
    z.object({ kind: z.literal('download'), url: z.string(), wheels: Wheels }),
  ]),
});

const ModelEntry = z.object({
  title: z.string(),
  license: z.string(),
  source: z.string(),
  /** A sentence on its measured accuracy. */
  accuracy: z.string(),
  /** Most tokens that the model was trained to hold. */
  contextTokens: z.number(),
  /** Memory of a context for one token: keys and values of all layers, 16 bits each. */
  stateBytesPerToken: z.number(),
  /** Tokens of a prompt evaluated in one step on a CPU; a cancellation is seen between steps. */
  chunkTokens: z.number(),
  /** Measured on two cores; stands in until this machine's own speed is known. */
  speed: z.object({ readPerSecond: z.number(), writePerSecond: z.number(), loadSeconds: z.number() }),
  base: Base,
  adapter: ModelFile,
  /** The adapter was trained to put a query right that it is shown with its error. */
  repairs: z.optional(z.boolean()),
});
export type ModelEntry = z.infer<typeof ModelEntry>;

const Manifest = z.object({ format: z.literal(1), models: z.object({ small: ModelEntry, coder: ModelEntry }) });

export const LOCAL_MODELS = ['small', 'coder'] as const;
export type LocalModelName = (typeof LOCAL_MODELS)[number];

/** The local model that a word names; undefined: none. */
export function localModelNamed(word: string | undefined): LocalModelName | undefined {
  return LOCAL_MODELS.find((name) => name === word);
}

/** The folder of the models that come with the program. */
export const bundledModels = join(packageRoot, 'models');

/** What one model is made of. @param folder where `manifest.json` and the bundled files lie. */
export function readModelEntry(name: LocalModelName, folder: string = bundledModels): ModelEntry {
  return Manifest.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))).models[name];
}
