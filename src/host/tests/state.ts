import { outcomeInWords } from '../../core/evals/item-words.ts';
import type { Item } from '../../protocol/dataset.ts';
import type { Outcome } from '../../protocol/ledger.ts';

/** What came of a question when it was run last. */
export interface LastResult {
  outcome: Outcome;
  runId: string;
}

/** What stands behind a question in the Test Explorer: how hard it is, what came of it. */
export function describeItem({ difficulty }: Item, last: LastResult | undefined): string {
  return [difficulty ?? '', last === undefined ? '' : outcomeInWords(last.outcome)]
    .filter((part) => part !== '')
    .join(' · ');
}

/** A name as it can be typed behind `@sqlAgent.evals:`, e.g. `wrong-rows`. */
function tagOf(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-');
}

/** The tags of a question: its difficulty, and what came of it. */
export function tagsOf({ difficulty }: Item, last: LastResult | undefined): string[] {
  const tags = [difficulty === null ? '' : tagOf(difficulty), last === undefined ? '' : tagOf(last.outcome)];
  return tags.filter((tag) => tag !== '');
}

/** A question on one line. */
export function labelOf({ question, id }: Item): string {
  return question.replaceAll(/\s+/g, ' ').trim() || id;
}

/** What an item's database is called by, and looked for by: a suite's path, else `db_id`. */
export function databaseKey({ database, db_id }: Item): string {
  return database ?? db_id;
}
