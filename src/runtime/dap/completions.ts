import type { StagePlan } from '../../core/diagnose/trace/plan.ts';
import { quoteIdentifier } from '../../core/schema/identifiers.ts';

/** What is offered where a text is typed. */
export interface Completion {
  label: string;
  text: string;
  type: 'field' | 'function' | 'keyword';
  start: number;
  length: number;
}

const FUNCTIONS = [
  'count(*)',
  'count(DISTINCT ',
  'sum(',
  'avg(',
  'min(',
  'max(',
  'group_concat(',
  'typeof(',
  'length(',
];
const KEYWORDS = ['SELECT', 'FROM rows', 'WHERE', 'GROUP BY', 'ORDER BY', 'LIMIT', 'IS NULL', 'NOT', 'LIKE'];

/**
 * Column names of a step, functions and words that begin with what stands before a place.
 * @param column from 0, in `text`
 */
export function completionsAt(
  stage: StagePlan,
  columns: readonly string[],
  text: string,
  column: number,
): Completion[] {
  const before = text.slice(0, column);
  const typed = /[\w$]*$/.exec(before)?.[0] ?? '';
  const alias = /([\w$]+)\.[\w$]*$/.exec(before)?.[1] ?? null;
  const start = column - typed.length;
  const isWanted = (name: string) => name.toLowerCase().startsWith(typed.toLowerCase());
  const offer = (type: Completion['type']) => (label: string) => ({
    label,
    text: type === 'field' ? plainOrQuoted(label) : label,
    type,
    start,
    length: typed.length,
  });
  const fields = [...new Set(columns)].filter(isWanted).map(offer('field'));
  if (alias !== null && stage.keys.some((key) => key.alias.toLowerCase() === alias.toLowerCase())) return fields;
  if (alias !== null) return alias.toLowerCase() === 'rows' ? fields : [];
  return [
    ...fields,
    ...FUNCTIONS.filter(isWanted).map(offer('function')),
    ...(typed === '' ? [] : KEYWORDS.filter(isWanted).map(offer('keyword'))),
  ];
}

function plainOrQuoted(name: string): string {
  return /^[A-Za-z_][\w$]*$/.test(name) ? name : quoteIdentifier(name);
}
