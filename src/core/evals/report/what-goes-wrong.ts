import type { Diagnosis, ErrorClass } from '../../../protocol/diagnosis.ts';
import { count } from '../../../protocol/figures.ts';
import { countOf } from '../../signals/describe.ts';
import { type Block, heading, type TableCell, table } from './document.ts';

/** What an item's error is called: a class of the taxonomy, or that its SQL does not run. */
export type WrongClass = ErrorClass | 'does_not_run';

/** An item with its likeliest error in one sentence. */
export interface WrongItem {
  id: string;
  sentence: string;
  /** Shown by running queries or by the rows themselves. */
  shown: boolean;
}

/** The errors of a run's failing items. */
export interface WhatGoesWrong {
  /** Items by the class that is likeliest for each, most frequent first. */
  classes: { class: WrongClass; items: WrongItem[] }[];
  /** Items that could not be diagnosed, and why. */
  undiagnosed: { id: string; why: string }[];
}

/** The diagnosis of an item; a text says why there is none. */
export interface DiagnosedItem {
  readonly id: string;
  readonly diagnosis: Diagnosis | string;
}

const SHOWN = 0.9;

/** Counts the likeliest class of each item. */
export function whatGoesWrong(items: readonly DiagnosedItem[]): WhatGoesWrong {
  const classes = new Map<WrongClass, WrongItem[]>();
  const undiagnosed: WhatGoesWrong['undiagnosed'] = [];
  const add = (kind: WrongClass, item: WrongItem) => classes.set(kind, [...(classes.get(kind) ?? []), item]);
  for (const { id, diagnosis } of items) {
    if (typeof diagnosis === 'string') undiagnosed.push({ id, why: diagnosis });
    else if (diagnosis.verdict === 'error') add('does_not_run', { id, sentence: diagnosis.sentence, shown: true });
    else {
      const [first] = diagnosis.taxonomy;
      if (first === undefined) undiagnosed.push({ id, why: diagnosis.sentence });
      else add(first.class, { id, sentence: first.sentence, shown: first.confidence >= SHOWN });
    }
  }
  return {
    classes: [...classes]
      .map(([kind, list]) => ({ class: kind, items: list }))
      .sort((a, b) => b.items.length - a.items.length || (a.class < b.class ? -1 : 1)),
    undiagnosed,
  };
}

/** A class in words. */
function classInWords(kind: WrongClass): string {
  return kind.replaceAll('_', ' ');
}

/** Where the details of an item stand in a page. */
export function anchorOf(id: string): string {
  return `item-${id.replace(/[^A-Za-z0-9-]/g, (char) => `_${char.charCodeAt(0).toString(16)}`)}`;
}

/** @param linked the items whose details stand in the page */
export function wrongBlocks({ classes, undiagnosed }: WhatGoesWrong, linked: ReadonlySet<string>): Block[] {
  const diagnosed = classes.reduce((sum, { items }) => sum + items.length, 0);
  const links = (items: readonly WrongItem[]): TableCell => ({
    links: items.map(({ id }) => ({ text: id, to: linked.has(id) ? anchorOf(id) : null })),
  });
  const blocks: Block[] = [
    heading('What goes wrong'),
    {
      kind: 'text',
      text: `The likeliest error of ${countOf(diagnosed, 'failing item')}, told by comparing its query with the gold clause by clause; "shown" are those where putting it right gives the gold's rows, alone or together with others, and queries that do not run.`,
    },
    table(
      ['error', '#items', '#shown', 'which'],
      classes.map(({ class: kind, items }) => [
        classInWords(kind),
        count(items.length),
        count(items.filter(({ shown }) => shown).length),
        links(items),
      ]),
    ),
  ];
  if (undiagnosed.length > 0)
    blocks.push({
      kind: 'details',
      summary: `${countOf(undiagnosed.length, 'failing item')} could not be diagnosed`,
      blocks: [{ kind: 'list', items: undiagnosed.map(({ id, why }) => `${id}: ${why}`) }],
    });
  return blocks;
}
