import type { ExpectedShape, ShapeKind } from '../../protocol/ask.ts';
import {
  ASK,
  asksNoGroups,
  asksOneThing,
  groupOf,
  NUMBER,
  normalQuestion,
  numberOf,
  SUPERLATIVE,
} from './question-words.ts';

type Said = Omit<ExpectedShape, 'source'>;

/** A rule over a question in normal form: what a correct answer looks like, or null where the rule does not apply. */
interface ShapeRule {
  name: string;
  apply(question: string): Said | null;
}

const one = { kind: 'one' } as const;
const any = { kind: 'any' } as const;

const COUNT = new RegExp(`^(?:how many\\b|(?:${ASK} )?(?:total |overall )?(?:number|count) of\\b|count\\b)`);
const ARITHMETIC = new RegExp(
  `^${ASK} (?:average|mean|total|sum|percentage|percent|proportion|ratio|fraction)\\b(?! number of)`,
);
const AGGREGATE = '(?:average|mean|total|maximum|minimum|max|min)';
const AGGREGATES = new RegExp(`^${ASK} (${AGGREGATE}(?:, ${AGGREGATE})*,? and ${AGGREGATE}) (.*)$`);
const EXTREME = new RegExp(`^${ASK} (?:maximum|minimum|max|min|highest|lowest|largest|smallest)\\b`);
const WITH = '(?:with|having|that has|who has|which has|that have|who have|which have|that had|who had)';
const TOP = new RegExp(
  [
    `\\b(?:top|first|last|bottom) ${NUMBER}\\b`,
    `\\bthe ${NUMBER} ${SUPERLATIVE}\\b`,
    `\\b(?:the|which|what) ${NUMBER} (?:\\w+ ){1,2}(?:${WITH}|have|has) the ${SUPERLATIVE}\\b`,
    `\\b(?:the|which|what) ${NUMBER} \\w+ (?:(?:who|that|which) )?(?!are\\b|is\\b|of\\b|in\\b)(?:\\w+ ){1,2}the ${SUPERLATIVE}\\b`,
  ].join('|'),
);
const WINNER = new RegExp(
  `^(?:(?:which|what) (?!are )(?:\\w+ ){1,3}?(?:has|had|is|was|received|got|made|won|sold|does|did) (?:\\w+ ){0,3}?the ${SUPERLATIVE}\\b|${ASK} (?:first name|last name|name|title|id|code) of the \\w+(?: \\w+)? ${WITH} the ${SUPERLATIVE}\\b)`,
);
const NAMES = new RegExp(`^${ASK} (?:(?:first|last|family|given) )?(?:names|titles) (?:of|for)\\b`);
const ONE_OF = new RegExp(`^${ASK} (?:\\w+ ){1,2}of (?:the|all|those|students|people)\\b`);
const SEVERAL_COLUMNS = /\b(?:info|information|details?|everything|full names?|address|data|locations?|records?)\b/;
const WHICH = /^(?:which|what) (?!is|are|was|were)\w+ (?:has|have|had|is|are|was|were|do|did|does)\b/;

function oneColumn(kind: ShapeKind): Said['columns'] {
  return [{ name: null, kind }];
}

/** "The top 3 …", "the three cities with the most …": that many rows. */
function topRows(question: string): Said | null {
  const word = TOP.exec(question)
    ?.slice(1)
    .find((group) => group !== undefined);
  if (word === undefined || COUNT.test(question) || ARITHMETIC.test(question)) return null;
  return { rows: { kind: 'exactly', n: numberOf(word) }, columns: null };
}

/** "How many … for each department": a row per department. */
function groups(question: string): Said | null {
  const counted =
    COUNT.test(question) || ARITHMETIC.test(question) || EXTREME.test(question) || /^for each /.test(question);
  const of = counted ? groupOf(question) : null;
  return of === null ? null : { rows: { kind: 'one_per', of }, columns: null };
}

/** "The minimum, average and maximum age of …": one row with a number each. */
function aggregates(question: string): Said | null {
  const [, names, rest] = AGGREGATES.exec(question) ?? [];
  if (names === undefined || rest === undefined || !asksNoGroups(question) || !asksOneThing(`find ${rest}`))
    return null;
  return { rows: one, columns: names.split(/,? and |, /).map(() => ({ name: null, kind: 'any' })) };
}

/** A rule that applies where `pattern` matches and one value in one row is asked for. */
function oneValue(name: string, pattern: RegExp, kind: ShapeKind): ShapeRule {
  const said: Said = { rows: one, columns: oneColumn(kind) };
  return { name, apply: (text) => (pattern.test(text) && asksNoGroups(text) && asksOneThing(text) ? said : null) };
}

/** The first rule that applies decides. */
const RULES: readonly ShapeRule[] = [
  { name: 'top n', apply: topRows },
  { name: 'groups', apply: groups },
  oneValue('how many', COUNT, 'count'),
  { name: 'aggregates', apply: aggregates },
  oneValue('average or total', ARITHMETIC, 'number'),
  oneValue('highest or lowest value', EXTREME, 'any'),
  {
    name: 'the one with the most',
    apply: (text) => (WINNER.test(text) && asksNoGroups(text) ? { rows: one, columns: null } : null),
  },
  {
    name: 'names',
    apply: (text) => (NAMES.test(text) && asksOneThing(text) ? { rows: any, columns: oneColumn('text') } : null),
  },
  {
    name: 'one thing',
    apply: (text) =>
      (ONE_OF.test(text) || WHICH.test(text)) && !SEVERAL_COLUMNS.test(text) && asksNoGroups(text) && asksOneThing(text)
        ? { rows: any, columns: oneColumn('any') }
        : null,
  },
];

/** The rule that decides on a question and what it says; null where none applies. */
export function ruledShape(question: string): { rule: string; shape: ExpectedShape } | null {
  const text = normalQuestion(question);
  for (const { name, apply } of RULES) {
    const said = apply(text);
    if (said) return { rule: name, shape: { source: 'rule', ...said } };
  }
  return null;
}

/**
 * The shape that a correct answer should have, by rules over the English question alone; for models that do not say it
 * themselves. Rules are few and sure: null where none applies. Their coverage and how often they hold on the gold
 * results of Spider's train set are measured by `bench/signals.bench.ts`.
 */
export function expectedShape(question: string): ExpectedShape | null {
  return ruledShape(question)?.shape ?? null;
}
