/** Our own styles: bold, dim and their end. */
const STYLE = String.raw`\u001b\[[012]m`;
const STEERING = String.raw`\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]`;
const STYLE_OR_STEERING = new RegExp(`(${STYLE})|${STEERING}`, 'g');

/**
 * Text in which nothing can steer the terminal: names, messages and cells come from files and servers of others. Line
 * feeds and tabs stay, and so do our own styles where there is colour.
 */
export function harmless(text: string, colour: boolean): string {
  return text.replace(STYLE_OR_STEERING, (_, style: string | undefined) => (colour && style) || '\uFFFD');
}
