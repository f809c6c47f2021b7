import { integerOption, UsageError, type VerbArgs } from './verb.ts';

/** The options that `repairOption` reads. */
export const REPAIR_OPTIONS = { repair: { type: 'boolean' }, 'no-repair': { type: 'boolean' } } as const;

/** Whether a model is shown the error of its query; undefined where the call leaves it to the model. @throws UsageError */
export function repairOption(args: VerbArgs): boolean | undefined {
  const [repair, noRepair] = [args.values['repair'] === true, args.values['no-repair'] === true];
  if (repair && noRepair) throw new UsageError('--repair and --no-repair exclude each other.');
  if (noRepair) return false;
  if (!repair) return undefined;
  if (integerOption(args, 'retries', 0, 16) === 0)
    throw new UsageError('--repair is for the first retry, and with --retries 0 there is none.');
  if ((integerOption(args, 'samples', 1, 64) ?? 1) > 1)
    throw new UsageError('--repair is for the first retry, and samples that vote are not asked again: leave out one.');
  return true;
}
