/** ‖a - b‖ / ‖b‖, the distance of two vectors as a share of the second; NaN where their lengths differ. */
export function relativeDistance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Number.NaN;
  let distance = 0;
  let norm = 0;
  for (let index = 0; index < a.length; index++) {
    distance += ((a[index] ?? Number.NaN) - (b[index] ?? Number.NaN)) ** 2;
    norm += (b[index] ?? Number.NaN) ** 2;
  }
  return norm === 0 ? Math.sqrt(distance) : Math.sqrt(distance / norm);
}
