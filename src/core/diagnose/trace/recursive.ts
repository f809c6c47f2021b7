import type { TraceSource } from '../../../protocol/diagnose.ts';
import { quoteIdentifier } from '../../schema/identifiers.ts';
import type { CommonTable } from '../../sql/ast/query.ts';
import { type Place, withText } from './place.ts';
import type { TracePlan } from './plan.ts';

/** A recursive common table expression as one stage: its arms work on each other's rows, so none stands alone. */
export function recursivePlan({ name, range, query }: CommonTable, place: Place, source: TraceSource): TracePlan {
  const tables = withText(place);
  const from = `FROM ${quoteIdentifier(name.text)}`;
  return {
    source,
    text: place.renderer.resolution.sql,
    range,
    query,
    stages: [
      {
        clause: 'RECURSIVE',
        label: 'RECURSIVE',
        range,
        level: 'result',
        keys: [],
        sql: `${tables}SELECT * ${from}`,
        parts: null,
        count: { by: 'query', sql: `${tables}SELECT count(*) ${from}` },
        join: null,
        conjuncts: [],
        rowKeys: [],
        tiesSql: null,
        nested: [],
        notes: ['A recursive table is shown as one step.'],
      },
    ],
    complete: true,
    why: null,
    correlation: null,
  };
}
