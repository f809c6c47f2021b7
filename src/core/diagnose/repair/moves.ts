import type { Move } from './change.ts';
import type { RepairContext } from './context.ts';
import { aggregateMoves } from './edits/aggregate.ts';
import { columnMoves } from './edits/column.ts';
import { conjunctMoves } from './edits/conjunct.ts';
import { distinctMoves } from './edits/distinct.ts';
import { groupByMoves } from './edits/group-by.ts';
import { joinAdditions } from './edits/join-add.ts';
import { joinConditions, joinsInWhere } from './edits/join-on.ts';
import { joinKinds, joinRemovals } from './edits/join-remove.ts';
import { limitMoves } from './edits/limit.ts';
import { literalMoves } from './edits/literal.ts';
import { operatorMoves } from './edits/operator.ts';
import { orderByMoves } from './edits/order-by.ts';
import { selectItemMoves } from './edits/select-items.ts';
import { setOperationMoves } from './edits/set-operation.ts';
import { tableMoves } from './edits/table.ts';

/** Edits that a repair may have. */
export const MOST_EDITS = 3;

/** The closed list of what an edit can be. */
const GENERATORS: readonly ((context: RepairContext) => Move[])[] = [
  literalMoves,
  operatorMoves,
  columnMoves,
  aggregateMoves,
  distinctMoves,
  joinRemovals,
  joinKinds,
  joinAdditions,
  joinConditions,
  joinsInWhere,
  tableMoves,
  conjunctMoves,
  groupByMoves,
  orderByMoves,
  limitMoves,
  selectItemMoves,
  setOperationMoves,
];

/** All moves of at most three edits that the prediction allows. */
export function movesOf(context: RepairContext): Move[] {
  return GENERATORS.flatMap((generate) => generate(context)).filter(({ changes }) => changes.length <= MOST_EDITS);
}
