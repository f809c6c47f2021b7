import type { Hint } from '../../../protocol/diagnosis.ts';
import { predicateTruthSql } from '../trace/stage-sql.ts';
import { type CountedStage, type HintContext, hintAt, said } from './context.ts';

/** Rows of which the truth of conditions is looked at. */
const MOST_ROWS = 20_000;

/** Conditions of WHERE and HAVING that are true for no row: always false, or always NULL. */
export async function deadConditions(context: HintContext): Promise<Hint[]> {
  const hints: Hint[] = [];
  for (const stage of context.stages) {
    if (stage.plan.clause !== 'WHERE' && stage.plan.clause !== 'HAVING') continue;
    hints.push(...(await deadIn(context, stage)));
  }
  return hints;
}

async function deadIn(context: HintContext, { plan }: CountedStage): Promise<Hint[]> {
  const sql = predicateTruthSql(plan, { offset: 0, limit: MOST_ROWS });
  const rows = sql === null ? null : await context.session.rows(sql, MOST_ROWS);
  if (rows === null || rows.length === 0 || rows.length === MOST_ROWS) return [];
  const keys = plan.keys.reduce((sum, key) => sum + key.expressions.length, 0);
  const start = keys + (plan.level === 'groups' ? 1 : 0);
  return plan.conjuncts.flatMap(({ range }, index): Hint[] => {
    const truths = rows.map((row) => row[start + index] ?? null);
    if (truths.some((truth) => truth === 1)) return [];
    const unknown = truths.filter((truth) => truth === null).length;
    const what = plan.level === 'groups' ? 'groups' : 'rows';
    const text = said(context.sql, range);
    if (unknown === truths.length)
      return [
        hintAt(
          context,
          'condition_always_null',
          range,
          `${text} is NULL for all ${rows.length} ${what}, so that none is kept.`,
          {
            rows: rows.length,
          },
        ),
      ];
    const beside = unknown === 0 ? '' : ` (NULL for ${unknown})`;
    return [
      hintAt(context, 'condition_never_true', range, `${text} is true for none of ${rows.length} ${what}${beside}.`, {
        rows: rows.length,
        null: unknown,
      }),
    ];
  });
}
