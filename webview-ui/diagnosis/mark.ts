import { html, type TemplateResult } from 'lit';
import type { Position } from '../../src/protocol/query.ts';

/** Places in the two queries that are meant; null: none in that query. */
export interface Marked {
  pred: Position | null;
  gold: Position | null;
  /** Whether the place is to be brought into sight. */
  reveal: boolean;
}

/** Nothing is pointed at. */
export const UNMARKED: Marked = { pred: null, gold: null, reveal: false };

/** Has places marked in the queries that the page shows. */
export function mark(from: EventTarget | null, marked: Marked): void {
  from?.dispatchEvent(new CustomEvent<Marked>('mark', { detail: marked, bubbles: true, composed: true }));
}

/** Words that lead to a place in the SQL: it is marked while they have the focus or the pointer, and shown by a click. */
export function placeLink(
  place: { pred: Position | null; gold: Position | null },
  words: TemplateResult | string,
  title = 'Show in the SQL',
): TemplateResult | string {
  if (place.pred === null && place.gold === null) return words;
  const marks = (reveal: boolean) => (event: Event) => mark(event.currentTarget, { ...place, reveal });
  const unmark = ({ currentTarget }: Event) => mark(currentTarget, UNMARKED);
  const leave = (event: Event) => {
    const { currentTarget } = event;
    // What has the focus keeps its mark.
    if (currentTarget instanceof HTMLElement && !currentTarget.matches(':focus')) unmark(event);
  };
  return html`<button
    class="link place"
    title=${title}
    @click=${marks(true)}
    @focus=${marks(false)}
    @blur=${unmark}
    @pointerenter=${marks(false)}
    @pointerleave=${leave}
  >
    ${words}
  </button>`;
}
