import type { AppError, WireError } from '../../protocol/errors.ts';
import type { ItemRecord } from '../../protocol/eval.ts';
import { providerKeepsFailing, providerUnusable } from './eval-errors.ts';

/** Codes of failures that every further question would meet. */
const FATAL = new Set([
  'provider_address',
  'provider_key',
  'provider_unauthorised',
  'provider_not_found',
  'provider_redirected',
  'provider_web_page',
  'provider_engine_missing',
  'provider_load_failed',
  'provider_script_ended',
  'model_not_pulled',
  'model_adapter_missing',
  'model_file_damaged',
  'model_file_unreadable',
  'model_part_missing',
  'model_part_damaged',
  'disk_full',
  'storage_unwritable',
]);
/** Failures that are the item's own. */
const OWN = new Set(['prompt_too_long']);
/** So many items in a row without a reply, and nobody expects one for the next. */
const MOST_IN_A_ROW = 20;

/** Tells a provider that is gone from one that fails now and then. */
export class FailureWatch {
  readonly #folder: string;
  #inARow = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Why the run cannot go on, before an item's failure is recorded; null where it can. @param done items finished */
  fatal(stop: ItemRecord['stop'], error: WireError, done: number): AppError | null {
    return stop === 'provider_error' && FATAL.has(error.code) ? providerUnusable(error, done, this.#folder) : null;
  }

  /** Counts a finished item. @returns why the run should not go on; null where it should */
  count({ outcome, code, message }: ItemRecord, done: number): AppError | null {
    if (outcome !== 'provider_error') this.#inARow = 0;
    else if (!OWN.has(code ?? '')) this.#inARow += 1;
    if (this.#inARow < MOST_IN_A_ROW) return null;
    const cause = { code: code ?? 'provider_error', message: message ?? '' };
    return providerKeepsFailing(this.#inARow, cause, done, this.#folder);
  }
}
