import { printable } from '../../text/cells.ts';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** One line of text as HTML, in an element or in a quoted attribute; control characters are symbols. */
export function escapeHtml(text: string): string {
  return printable(text.replaceAll('\t', '  ')).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
