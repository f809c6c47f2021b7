/** Values offered for one literal. */
const MOST_NEAR = 4;
/** Longer texts are compared by their beginnings only. */
const LONGEST = 60;

function folded(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

/** Levenshtein distance of two short texts, in UTF-16 units; `most + 1` where it is larger than `most`. */
export function editDistance(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let left = 1; left <= one.length; left++) {
    const next = [left];
    for (let right = 1; right <= other.length; right++) {
      const same = one.charCodeAt(left - 1) === other.charCodeAt(right - 1) ? 0 : 1;
      const [up = 0, diagonal = 0, back = 0] = [row[right], row[right - 1], next[right - 1]];
      next.push(Math.min(up + 1, back + 1, diagonal + same));
    }
    if (Math.min(...next) > most) return most + 1;
    row = next;
  }
  return row[other.length] ?? most + 1;
}

/** How far a value is from a text: 0 differs in case or white space alone; null: not near. */
function farness(text: string, value: string): number | null {
  if (value === text) return null;
  if (text === value) return 0;
  const most = Math.max(1, Math.floor(Math.min(text.length, LONGEST) / 4));
  if (text.length <= LONGEST && value.length <= LONGEST) {
    const distance = editDistance(text, value, most);
    if (distance <= most) return distance;
  }
  const [short, long] = text.length < value.length ? [text, value] : [value, text];
  return short.length >= 2 && long.includes(short) ? most + 1 : null;
}

/** The values of a column that a text may have meant, the nearest first: other case or spaces, a slip, a part of it. */
export function nearestValues(text: string, values: readonly string[]): string[] {
  const own = folded(text);
  return values
    .filter((value) => value !== text)
    .flatMap((value) => {
      const other = folded(value);
      const far = other === own ? 0 : farness(own, other);
      return far === null ? [] : [{ value, far }];
    })
    .sort((one, other) => one.far - other.far)
    .slice(0, MOST_NEAR)
    .map(({ value }) => value);
}
