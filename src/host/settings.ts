import * as z from 'zod/mini';
import { LinkMode } from '../protocol/catalog.ts';

const whole = (min: number, max: number) => z.int().check(z.gte(min), z.lte(max));

/** A dataset that the Test Explorer shows. Paths are relative to the workspace folder, or absolute. */
const DatasetSetting = z.object({
  file: z.string().check(z.minLength(1)),
  /** Folder of the databases; absent: they lie beside the file. */
  databases: z.optional(z.string()),
});
export type DatasetSetting = z.infer<typeof DatasetSetting>;
const NONE: DatasetSetting[] = [];

/**
 * Every setting by its name below `sqlAgent.`: what it may be and what it is when unset. The manifest says the same to
 * people; a test compares the two.
 */
export const SETTINGS = {
  'model.provider': { schema: z.enum(['local', 'openai']), fallback: 'local' },
  'model.local': { schema: z.enum(['auto', 'small', 'coder']), fallback: 'auto' },
  'model.adapter': { schema: z.string(), fallback: '' },
  'model.server.address': { schema: z.string(), fallback: '' },
  'model.server.name': { schema: z.string(), fallback: '' },
  'ask.link': { schema: z.enum(LinkMode.options.filter((mode) => mode !== 'oracle')), fallback: 'auto' },
  'ask.turns': { schema: whole(1, 20), fallback: 4 },
  'ask.samples': { schema: whole(1, 32), fallback: 1 },
  'query.timeoutSeconds': { schema: whole(1, 3600), fallback: 30 },
  'query.maxRows': { schema: whole(1, 100_000), fallback: 1000 },
  'evals.datasets': { schema: z.array(DatasetSetting), fallback: NONE },
  'evals.results': { schema: z.string().check(z.minLength(1)), fallback: 'results' },
  'training.folder': { schema: z.string().check(z.minLength(1)), fallback: 'training-runs' },
} as const;

export type SettingName = keyof typeof SETTINGS;
export type SettingValue<Name extends SettingName> = z.infer<(typeof SETTINGS)[Name]['schema']>;

/** `value` where it is one that the setting may have, else the setting's fallback and the reason. */
export function parseSetting<Name extends SettingName>(
  name: Name,
  value: unknown,
): { value: SettingValue<Name>; problem: string | null } {
  const { schema, fallback } = SETTINGS[name];
  const parsed = schema.safeParse(value);
  if (parsed.success) return { value: parsed.data as SettingValue<Name>, problem: null };
  return {
    value: fallback as SettingValue<Name>,
    problem: `the setting "sqlAgent.${name}" cannot be ${JSON.stringify(value)}; ${JSON.stringify(fallback)} is used`,
  };
}
