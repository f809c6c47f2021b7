import { AppError } from '../../protocol/errors.ts';

// One function per error that a user is told about the making of splits.

export function partName(name: string): AppError {
  const message = `"${name}" cannot be the name of a split: letters, digits, ".", "_" and "-" can.`;
  return new AppError('split_name', message, { name });
}

export function partTwice(name: string): AppError {
  return new AppError('split_name_twice', `Two parts are named "${name}". Give each its own name.`, { name });
}

export function partShare(name: string, share: number): AppError {
  const message = `The share of "${name}" is ${share}. A share is above 0 and at most 1, such as ${name}=0.2.`;
  return new AppError('split_share', message, { name, share });
}

export function sharesAboveOne(sum: number): AppError {
  const message = `The shares add up to ${Number(sum.toFixed(6))}, more than 1. Make them smaller; what is left over stays in no split.`;
  return new AppError('split_shares', message, { sum });
}

export function morePartsThanDatabases(parts: number, databases: number): AppError {
  const has = `${databases} ${databases === 1 ? 'database' : 'databases'}`;
  const message = `${parts} splits cannot be made of ${has}: no database is in two of them. Name at most ${databases}.`;
  return new AppError('split_too_many', message, { parts, databases });
}

export function sealedPartUnknown(name: string, parts: readonly string[]): AppError {
  const message = `--seal names "${name}", which is no part. The parts are ${parts.join(', ')}.`;
  return new AppError('split_seal_unknown', message, { name, parts });
}
