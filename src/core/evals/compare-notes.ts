import type { EvalLine } from '../../protocol/ledger.ts';
import { countOf } from '../signals/describe.ts';
import type { MatchedItems } from './compare-items.ts';

/** Below this, intervals of a bootstrap over clusters are known to come out too narrow. */
const FEW_CLUSTERS = 20;

/** What limits a comparison, a sentence each. @param clusters databases of the compared items */
export function notesOf(a: EvalLine, b: EvalLine, { left, reworded }: MatchedItems, clusters: number): string[] {
  const notes: string[] = [];
  if (a.run_id === b.run_id) notes.push('A and B are the same run.');
  const same = a.config.dataset.hash === b.config.dataset.hash;
  if (!same) notes.push('The runs are of different datasets; items with the same id, database and gold are compared.');
  for (const [name, line] of [
    ['A', a],
    ['B', b],
  ] as const)
    if (line.state === 'stopped')
      notes.push(`${name} was stopped after ${line.summary.done} of ${countOf(line.summary.items, 'item')}.`);
  const onlyIn = (name: string, ids: readonly string[]) => {
    if (ids.length > 0) notes.push(`${countOf(ids.length, 'item')} finished in ${name} alone: left out.`);
  };
  onlyIn('A', left.only_a);
  onlyIn('B', left.only_b);
  if (left.other_gold.length > 0)
    notes.push(`${countOf(left.other_gold.length, 'item')} with the same id, but another database or gold: left out.`);
  if (left.gold_failed.length > 0)
    notes.push(`${countOf(left.gold_failed.length, 'item')} whose gold query fails in a run: left out.`);
  if (reworded > 0) notes.push(`${countOf(reworded, 'item')} with another question or evidence in B: compared.`);
  if (scoring(a) !== scoring(b))
    notes.push('The runs were scored by different settings; "right" may not mean the same in both.');
  if (clusters > 1 && clusters < FEW_CLUSTERS)
    notes.push(
      `The items are of ${clusters} databases; with fewer than ${FEW_CLUSTERS} the interval comes out somewhat too narrow.`,
    );
  return notes;
}

/** The settings that decide what a verdict says. */
function scoring({ config }: EvalLine): string {
  const { timeoutMs, orderPolicy, keepDistinct, suite } = config.score;
  return JSON.stringify([timeoutMs, orderPolicy, keepDistinct, suite]);
}
