import type { Minimised } from '../../protocol/diagnosis.ts';

/** SQL as comment lines. */
function commented(sql: string): string {
  return sql
    .trim()
    .split(/\r?\n/)
    .map((line) => `--   ${line}`)
    .join('\n');
}

/** The statements that make the smallest rows, with what they are for. */
export function smallestText(
  { sql, rows, minimal }: Minimised,
  { gold, pred }: { gold: string; pred: string },
): string {
  const [count, them] = rows === 1 ? ['1 row', 'it'] : [`${rows} rows`, 'them'];
  const head = minimal
    ? `-- ${count}: the queries below still differ on ${them}, and none can be left out.`
    : `-- ${count}: the queries below still differ on ${them}. The search ended early; fewer may do.`;
  return `${head}\n${sql.trim()}\n\n-- The gold:\n${commented(gold)}\n-- The prediction:\n${commented(pred)}\n`;
}
