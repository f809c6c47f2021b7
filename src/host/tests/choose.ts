import { sampleOf } from '../../core/evals/sample.ts';
import type { Item } from '../../protocol/dataset.ts';
import type { Outcome } from '../../protocol/ledger.ts';

/** Which of the questions that a user means are run. */
export type Choice = 'sample' | 'all' | 'failures';

/** Questions of a sample, of each dataset. */
export const SAMPLE = 50;
/** The same questions every time, so that two runs can be compared. */
const SEED = 1;

/** What is run of a dataset, and a sentence on it where that is not all that was meant. */
export interface Chosen {
  items: Item[];
  note: string | null;
}

const FAILED: readonly (Outcome | undefined)[] = ['wrong_rows', 'sql_error', 'timeout', 'no_sql', 'provider_error'];

/**
 * The questions to run, in the order of the dataset.
 * @param meant questions that the user chose, all of them in one dataset
 * @param outcomeOf what came of a question when it was run last
 */
export function chooseFor(
  choice: Choice,
  meant: readonly Item[],
  outcomeOf: (id: string) => Outcome | undefined,
): Chosen {
  if (choice === 'failures') {
    const items = meant.filter(({ id }) => FAILED.includes(outcomeOf(id)));
    return { items, note: `${items.length} of ${meant.length} items failed when they were run last` };
  }
  if (choice === 'all' || meant.length <= SAMPLE) return { items: [...meant], note: null };
  const items = sampleOf(meant, SAMPLE, SEED);
  const ids = items.map(({ id }) => id).join(', ');
  return { items, note: `a sample of ${SAMPLE} of ${meant.length} items (seed ${SEED}): ${ids}` };
}
