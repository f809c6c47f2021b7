import { AppError } from '../protocol/errors.ts';

export function goldWithoutTables(gold: string): AppError {
  const message = `Link mode "oracle" keeps the tables of the correct query, and "${gold.slice(0, 200)}" names none that can be read. Check the SQL given with --gold.`;
  return new AppError('gold_unusable', message, { gold });
}
