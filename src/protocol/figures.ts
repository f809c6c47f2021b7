import type { Share } from './score.ts';

/** A share from 0 to 1 as percents with one decimal, without the sign. */
export function percents(share: number): string {
  return (100 * share).toFixed(1);
}

/** A difference of shares, from -1 to 1, in percentage points with its sign and one decimal. */
export function points(difference: number): string {
  const text = (100 * difference).toFixed(1);
  if (Number(text) === 0) return '0.0';
  return difference > 0 ? `+${text}` : text;
}

/** "63.4 %"; "–" of nothing. */
export function rate({ right, of }: Pick<Share, 'right' | 'of'>): string {
  return of === 0 ? '–' : `${percents(right / of)} %`;
}

/** "59.2 to 67.4", the interval of 95 % in percents; "–" of nothing. */
export function interval({ of, low, high }: Share): string {
  return of === 0 ? '–' : `${percents(low)} to ${percents(high)}`;
}

/** A p value with two digits that count: "0.55", "0.0043", "< 0.001". */
export function pValue(p: number): string {
  if (p < 0.001) return '< 0.001';
  return p >= 0.1 ? p.toFixed(2) : String(Number(p.toPrecision(2)));
}

/** "p = 0.02" or "p < 0.001". */
export function pEquation(p: number): string {
  const text = pValue(p);
  return text.startsWith('<') ? `p ${text}` : `p = ${text}`;
}

/** A whole number with commas between thousands. */
export function count(number: number): string {
  return Math.round(number).toLocaleString('en-US');
}

/** "1 step", "2,300 steps". @param one the word for one of them, whose plural ends in s */
export function counted(value: number, one: string): string {
  return `${count(value)} ${one}${value === 1 ? '' : 's'}`;
}

/** A span of time in two units at most: "850 ms", "12.3 s", "4 min 10 s", "2 h 5 min". */
export function duration(ms: number): string {
  if (ms < 999.5) return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
