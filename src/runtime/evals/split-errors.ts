import { AppError } from '../../protocol/errors.ts';

// One function per error that a user is told about files of splits and the choice of items.

const HOW_TO_OPEN = '--open-sealed "why it is opened"';

export function splitsUnreadable(path: string, reason: string): AppError {
  const message = `The splits in ${path} cannot be read: ${reason}. Restore the file, or make it anew with "sql-agent split".`;
  return new AppError('splits_unreadable', message, { path, reason });
}

export function splitEdited(path: string, name: string): AppError {
  const message = `The ids of the split "${name}" in ${path} do not have the hash that stands beside them: the file was changed by hand. Restore it.`;
  return new AppError('split_edited', message, { path, name });
}

/**
 * @param dataset path of the dataset as it is now @param sealed names of the sealed splits
 * @param madeFor name of the file that was split, where it is another
 */
export function splitsStale(
  path: string,
  dataset: string,
  sealed: readonly string[],
  madeFor: string | null = null,
): AppError {
  if (madeFor !== null) {
    const message =
      `${path} was made for ${madeFor}, not for ${dataset}, whose splits have the same file. ` +
      `Where that is another dataset, give one of the two another name; where ${madeFor} was renamed or converted, ` +
      'split it anew with "sql-agent split" (--replace where a split is sealed).';
    return new AppError('splits_stale', message, { path, dataset, sealed, madeFor });
  }
  const why =
    sealed.length > 0
      ? `items of the sealed ${sealed.map((name) => `"${name}"`).join(', ')} may stand elsewhere now`
      : 'ids may mean other items now';
  const message =
    `${dataset} has changed since ${path} was made: ${why}. Restore the dataset that was split, ` +
    'or split it anew with "sql-agent split" (--replace where a split is sealed).';
  return new AppError('splits_stale', message, { path, dataset, sealed });
}

export function noSplits(dataset: string, name: string): AppError {
  const message = `${dataset} has no splits, so none named "${name}". Make them with "sql-agent split --dataset ${dataset} --part ${name}=0.2".`;
  return new AppError('no_splits', message, { dataset, name });
}

export function splitUnknown(path: string, name: string, names: readonly string[]): AppError {
  const message = `${path} has no split "${name}". It has ${names.join(', ')}.`;
  return new AppError('split_unknown', message, { path, name, names });
}

export function splitSealed(name: string): AppError {
  const message = `The split "${name}" is sealed: it is kept for the last measurement. To read it, say why: ${HOW_TO_OPEN}. The reason goes into the ledger.`;
  return new AppError('split_sealed', message, { name });
}

export function idSealed(id: string, split: string): AppError {
  const message = `The item "${id}" is in the sealed split "${split}". To read it, say why: ${HOW_TO_OPEN}. The reason goes into the ledger.`;
  return new AppError('id_sealed', message, { id, split });
}

export function reasonMissing(): AppError {
  const message = `Opening a sealed split needs a reason: ${HOW_TO_OPEN}. It goes into the ledger.`;
  return new AppError('reason_missing', message);
}

/** @param ids some of them @param count of all */
export function idsUnknown(dataset: string, ids: readonly string[], count: number): AppError {
  const named = ids.map((id) => `"${id}"`).join(', ');
  const more = count > ids.length ? ` and ${count - ids.length} more` : '';
  const message = `${dataset} has no item ${named}${more}. Ids stand in the field "question_id" or "id"; where there is none, they are positions from 0.`;
  return new AppError('ids_unknown', message, { dataset, ids, count });
}

export function idsElsewhere(split: string, ids: readonly string[], count: number): AppError {
  const named = ids.map((id) => `"${id}"`).join(', ');
  const more = count > ids.length ? ` and ${count - ids.length} more` : '';
  const message = `The split "${split}" does not have ${named}${more}. Leave the split out, or name items of it.`;
  return new AppError('ids_elsewhere', message, { split, ids, count });
}

export function everyOrLimit(name: string, value: number): AppError {
  return new AppError('bad_choice', `${name} is ${value}; it is a whole number from 1.`, { name, value });
}

/** @param sealed names of the sealed splits of the file that is there */
export function sealedWouldBeLost(path: string, sealed: readonly string[]): AppError {
  const named = sealed.map((name) => `"${name}"`).join(', ');
  const message =
    `${path} holds the sealed ${sealed.length === 1 ? 'split' : 'splits'} ${named}. Replacing it breaks the seal: items kept ` +
    'for the last measurement may then be in a split that is tuned on, and numbers measured on it cannot be measured again. ' +
    'Add --replace if that is meant, or write to another file with --out.';
  return new AppError('splits_sealed', message, { path, sealed });
}

export function notASplitsFile(path: string, reason: string): AppError {
  const message = `${path} is there and is no file of splits (${reason}); it was left as it is. Name another file with --out.`;
  return new AppError('not_a_splits_file', message, { path, reason });
}

/** @param reason code of the file system */
export function splitsUnwritable(path: string, reason: string): AppError {
  const why = reason === 'ENOSPC' ? 'the disk is full' : reason;
  const message = `The splits cannot be written to ${path} (${why}). Name another file with --out.`;
  return new AppError('splits_unwritable', message, { path, reason });
}

export function noSplitFile(path: string, dataset: string): AppError {
  const message = `There is no file of splits ${path}. Make it with "sql-agent split --dataset ${dataset} --part NAME=SHARE".`;
  return new AppError('no_split_file', message, { path, dataset });
}
