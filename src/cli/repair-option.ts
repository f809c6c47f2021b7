import { UsageError, type VerbArgs } from './verb.ts';

/** The options that `repairOption` reads. */
export const REPAIR_OPTIONS = { repair: { type: 'boolean' }, 'no-repair': { type: 'boolean' } } as const;

/** Whether a model is shown the error of its query; undefined where the call leaves it to the model. @throws UsageError */
export function repairOption({ values }: VerbArgs): boolean | undefined {
  if (values['repair'] === true && values['no-repair'] === true)
    throw new UsageError('--repair and --no-repair exclude each other.');
  if (values['no-repair'] === true) return false;
  return values['repair'] === true ? true : undefined;
}
