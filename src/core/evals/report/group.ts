/** The members of each group, groups in the order of their first member. */
export function groupBy<T>(members: readonly T[], keyOf: (member: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const member of members) {
    const key = keyOf(member);
    const group = groups.get(key);
    if (group) group.push(member);
    else groups.set(key, [member]);
  }
  return groups;
}

/** The names that BIRD (simple to challenging) and Spider (easy to extra) give to difficulties, easy ones first. */
const DIFFICULTIES = ['simple', 'easy', 'moderate', 'medium', 'hard', 'challenging', 'extra'];

/** What items without a difficulty are called. */
const NONE = '(none)';

/** Groups by difficulty, known names from easy to hard, others by name, then items without one. Empty where none has one. */
export function byDifficulty<T>(members: readonly T[], difficultyOf: (member: T) => string | null): [string, T[]][] {
  const groups = groupBy(members, (member) => difficultyOf(member) ?? NONE);
  if (groups.size === 1 && groups.has(NONE)) return [];
  return [...groups].sort(([a], [b]) => place(a) - place(b) || (a < b ? -1 : 1));
}

function place(name: string): number {
  if (name === NONE) return DIFFICULTIES.length + 1;
  const index = DIFFICULTIES.indexOf(name.toLowerCase().split(' ')[0] ?? '');
  return index < 0 ? DIFFICULTIES.length : index;
}
