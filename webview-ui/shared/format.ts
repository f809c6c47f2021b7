/** A number with thousands separators. */
export function numberInWords(value: number): string {
  return value.toLocaleString('en-US');
}

/** `1 row`, `3,503 rows`. */
export function countInWords(count: number, noun: string): string {
  return `${numberInWords(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const UNITS = ['KB', 'MB', 'GB', 'TB'];

/** A size for people: `512 B`, `1.4 MB`. 1 KB is 1,024 bytes, as file managers count. */
export function bytesInWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1023.95 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 9.95 ? value.toFixed(1) : numberInWords(Math.round(value))} ${UNITS[unit]}`;
}

/** A time span for people: `12 ms`, `3.4 s`, `2 min 5 s`. */
export function spanInWords(ms: number): string {
  if (ms < 1) return 'under 1 ms';
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
}

/** How long ago something was: `just now`, `5 min ago`, `3 h ago`, then a date. */
export function agoInWords(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  return new Date(at).toISOString().slice(0, 10);
}
