import type { Item } from '../../../protocol/dataset.ts';
import { databaseOf } from '../split.ts';

/** A question that several items ask of one database, apart from case and white space. */
export interface RepeatedQuestion {
  database: string;
  question: string;
  items: { id: string; line: number }[];
  /** True where the items do not all have the same gold, apart from case and white space. */
  differs: boolean;
}

/** The questions that stand more than once, in the order of the dataset. Evidence makes a question another one. */
export function repeatedQuestions(items: readonly Item[]): RepeatedQuestion[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = [databaseOf(item), folded(item.question), folded(item.evidence)].join('\n');
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || group.length === 1) return [];
    return {
      database: databaseOf(first),
      question: first.question,
      items: group.map(({ id, line }) => ({ id, line })),
      differs: group.some(({ gold }) => folded(gold) !== folded(first.gold)),
    };
  });
}

function folded(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase();
}
