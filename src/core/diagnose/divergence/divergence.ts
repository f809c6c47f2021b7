import type { Clause } from '../../../protocol/diagnose.ts';
import type { Range } from '../../sql/ast/query.ts';
import type { PlacedStage } from '../align/clauses.ts';
import type { KeyPair } from '../align/key-pairs.ts';
import type { StagePlan, TracePlan } from '../trace/plan.ts';

/** In what two stages differ. */
export type DivergenceKind =
  /** One query has tables at the stage that the other never joins, and rows differ by them. */
  | 'tables'
  /** Other rows of the shared tables. */
  | 'keys'
  /** The same rows, another number of times. */
  | 'multiplicity'
  /** The same rows, put into other groups; or groups on one side alone. */
  | 'groups'
  /** The same rows or groups, other values made of them. */
  | 'columns'
  /** Rows that repeat are kept on one side and dropped on the other. */
  | 'duplicates'
  | 'set_operation'
  | 'order'
  | 'limit'
  /** Rows are tied where both queries cut. */
  | 'ties';

/** The first stage at which two queries part. */
export interface Divergence {
  readonly kind: DivergenceKind;
  /** The clause that makes the difference, which one of the two may lack. */
  readonly clause: Clause;
  /** Index into the stages of the outermost prediction: the stage itself, else the one after which it is missing. */
  readonly predIndex: number;
  /** The same in the gold; null where the gold has no such stage. */
  readonly goldIndex: number | null;
  /** The way to the stages that part where they are nested in those, the outermost first; empty where they are not. */
  readonly inside: readonly NestedPlace[];
  /** More on how the queries part, shown by running them; null where there is nothing. */
  readonly detail: string | null;
  /** In the prediction. */
  readonly range: Range;
  /** In the gold; null where it has no such stage. */
  readonly goldRange: Range | null;
  /** The prediction has no stage of that clause. */
  readonly lacking: boolean;
  /** The stages whose rows differ, which may lie in nested traces; null where rows lead back to no keys. */
  readonly rows: ComparedStages | null;
  readonly totals: { readonly missing: number; readonly extra: number };
}

/** A stage in a query that is nested in a stage of another. */
export interface NestedPlace {
  readonly gold: TracePlan;
  readonly pred: TracePlan;
  /** Which SELECT of a compound it is in the prediction, from 1; null for what else is nested. */
  readonly arm: number | null;
  readonly predIndex: number;
  /** null where the gold has no such stage. */
  readonly goldIndex: number | null;
}

/** Two stages whose keys were compared, and the stages before them. */
export interface ComparedStages {
  readonly gold: StagePlan;
  readonly pred: StagePlan;
  readonly pairing: readonly KeyPair[];
  readonly goldStages: readonly PlacedStage[];
  readonly predStages: readonly PlacedStage[];
}

/** A divergence that leads back to no keys. */
export function plainDivergence(
  kind: DivergenceKind,
  clause: Clause,
  pred: PlacedStage,
  gold: PlacedStage | null,
  lacking = false,
): Divergence {
  return {
    kind,
    clause,
    predIndex: pred.index,
    goldIndex: gold?.index ?? null,
    inside: [],
    detail: null,
    range: pred.stage.range,
    goldRange: gold?.stage.range ?? null,
    lacking,
    rows: null,
    totals: { missing: 0, extra: 0 },
  };
}
