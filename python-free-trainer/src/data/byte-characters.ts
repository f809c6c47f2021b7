/** The printable characters that stand for the 256 bytes in a byte-level vocabulary (GPT-2's `bytes_to_unicode`). */
export const BYTE_CHARACTERS: readonly string[] = byteCharacters();

function byteCharacters(): string[] {
  const printable = (byte: number) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
  let moved = 0;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : 256 + moved++));
}

/** A word as the characters of its UTF-8 bytes. */
export function byteText(word: string): string {
  let text = '';
  for (const byte of Buffer.from(word)) text += BYTE_CHARACTERS[byte];
  return text;
}

/**
 * Whether texts hold the byte, so that a vocabulary cannot do without a token for it. SmolLM2's lacks some control
 * characters and the first bytes of planes 4 to 11, where no character is; bytes without a token are left out of a text.
 */
export function isTextByte(byte: number): boolean {
  if (byte < 0x80) return (byte >= 0x20 && byte < 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d;
  return byte <= 0xbf || (byte >= 0xc2 && byte <= 0xf0);
}
