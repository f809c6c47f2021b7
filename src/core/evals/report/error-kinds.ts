import type { ItemRecord } from '../../../protocol/eval.ts';
import { groupBy } from './group.ts';

/** How many items share a kind. */
export interface Kind {
  kind: string;
  items: number;
}

/** Reason codes of the answers that are not strictly equal to their gold, most frequent first. */
export function reasonKinds(records: readonly ItemRecord[]): Kind[] {
  const judged = records.filter(({ outcome }) => outcome !== 'gold_failed');
  return kinds(judged.flatMap(({ verdict }) => (verdict.reason === null ? [] : [verdict.reason])));
}

/** What was said of the answers that failed, most frequent first; messages that differ in names alone are one kind. */
export function errorKinds(records: readonly ItemRecord[]): Kind[] {
  const failed = records.filter(({ outcome }) =>
    ['sql_error', 'timeout', 'no_sql', 'provider_error'].includes(outcome),
  );
  return kinds(failed.map(errorKind));
}

function errorKind({ outcome, code, message }: ItemRecord): string {
  const name = code ?? outcome;
  if (outcome !== 'sql_error' || message === null) return name;
  const what = sqliteKind(message);
  return what === null ? name : `${name}: ${what}`;
}

/** What SQLite says before it names something: "no such column" of "no such column: T1.x". */
function sqliteKind(message: string): string | null {
  const line = message.split('\n')[0] ?? '';
  if (/syntax error/.test(line)) return 'syntax error';
  return /^([a-z][a-z ]{3,40}?)(?::|$)/i.exec(line)?.[1] ?? null;
}

function kinds(names: readonly string[]): Kind[] {
  return [...groupBy(names, (name) => name)]
    .map(([kind, { length }]) => ({ kind, items: length }))
    .sort((a, b) => b.items - a.items || (a.kind < b.kind ? -1 : 1));
}
