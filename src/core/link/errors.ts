import { AppError } from '../../protocol/errors.ts';

/** Mode `oracle` keeps the tables of the gold query and was given none. */
export function oracleNeedsGold(): AppError {
  return new AppError(
    'oracle_needs_gold',
    'Linking mode "oracle" keeps the tables of the gold query, and there is none. Give the gold SQL (--gold), or use mode auto, full or linked.',
  );
}
