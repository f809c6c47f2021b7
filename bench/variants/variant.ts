import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { LOCAL_MODELS, type LocalModelName } from '../../src/runtime/model/manifest.ts';

const Bound = z.nullable(z.number());
const Settings = z.record(z.string(), z.unknown());

/** Which of the pairs a variant is trained on. */
const Keep = z.union([
  /** The published pairs themselves. */
  z.literal('published'),
  z.object({
    /** Wordings of each schema beside its own. */
    phrasings: z.number(),
    /** Share of the repairs, the first of them. */
    repairs: z.number(),
    /** Bounds of BIRD's questions (`PairBounds`); `make.ts` writes down which are beyond. */
    bird: z.optional(z.object({ joins: Bound, answer: Bound, prompt: Bound })),
  }),
]);

/** By model, the settings of all its variants and what each has of its own. */
const Variants = z.record(
  z.enum(LOCAL_MODELS),
  z.object({
    settings: Settings,
    variants: z.array(z.object({ name: z.string(), why: z.string(), keep: Keep, settings: z.optional(Settings) })),
  }),
);

/** A recipe for the adapter of a model. */
export interface Variant {
  /** One of its own among the variants of all models. */
  name: string;
  model: LocalModelName;
  keep: z.infer<typeof Keep>;
  settings: Record<string, unknown>;
}

/** Names of the files that all variants are made of. */
export const FILES = {
  made: 'pairs.jsonl.gz',
  published: 'published.jsonl.gz',
  dev: 'dev.jsonl.gz',
  hard: 'hard.json',
} as const;

/** A line of the made pairs, as far as it matters which variant has it. */
const Line = z.object({
  id: z.string(),
  phrasing: z.optional(z.number()),
  repair: z.optional(z.string()),
});

/** By variant, the questions that are beyond its bounds. */
const Hard = z.record(z.string(), z.array(z.string()));

/** What variants there are, each with all of its settings. */
export function readVariants(): Variant[] {
  const models = Variants.parse(JSON.parse(readFileSync(new URL('variants.json', import.meta.url), 'utf8')));
  return LOCAL_MODELS.flatMap((model) =>
    models[model].variants.map(({ name, keep, settings }) => ({
      name,
      model,
      keep,
      settings: merged(models[model].settings, settings ?? {}),
    })),
  );
}

/** @throws Error for another name than that of a local model */
export function modelOf(name: string | undefined): LocalModelName {
  const model = LOCAL_MODELS.find((known) => known === name);
  if (model === undefined) throw new Error(`--model takes ${LOCAL_MODELS.join(' or ')}, not ${name}`);
  return model;
}

function merged(below: Record<string, unknown>, above: Record<string, unknown>): Record<string, unknown> {
  const result = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const [own, other] = [Settings.safeParse(result[key]), Settings.safeParse(value)];
    result[key] = own.success && other.success ? merged(own.data, other.data) : value;
  }
  return result;
}

/** The lines that a variant is trained on. @param folder where `FILES` lie */
export function linesOf({ name, keep }: Variant, folder: string): string[] {
  const lines = readLines(`${folder}/${keep === 'published' ? FILES.published : FILES.made}`);
  if (keep === 'published') return lines;
  const parsed = lines.map((line) => ({ line, pair: Line.parse(JSON.parse(line)) }));
  const hard = new Set(Hard.parse(JSON.parse(readFileSync(`${folder}/${FILES.hard}`, 'utf8')))[name]);
  let repairs = Math.round(parsed.filter(({ pair }) => pair.repair !== undefined).length * keep.repairs);
  const isKept = ({ id, phrasing, repair }: z.infer<typeof Line>) => {
    if (hard.has(id) || (phrasing ?? 0) > keep.phrasings) return false;
    return repair === undefined || repairs-- > 0;
  };
  return parsed.flatMap(({ line, pair }) => (isKept(pair) ? [line] : []));
}

/** The lines of a gzipped file. */
export function readLines(path: string): string[] {
  return gunzipSync(readFileSync(path)).toString('utf8').trim().split('\n');
}
