const MAC_SIGNS: Record<string, string> = { Ctrl: '⌘', Shift: '⇧', Enter: '⏎' };

/** True on a Mac, by what the browser says of its platform. */
export function isMac(platform: string = navigator.platform): boolean {
  return /mac/i.test(platform);
}

/** A key with its modifiers as the machine's keyboard names them: `Ctrl+C`, `⌘C`. */
export function keysInWords(...keys: string[]): string {
  return isMac() ? keys.map((key) => MAC_SIGNS[key] ?? key).join('') : keys.join('+');
}
