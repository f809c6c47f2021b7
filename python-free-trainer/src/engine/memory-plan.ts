import type { PassPlanner } from '../backend/backend.ts';
import type { PackedBatch } from '../data/batch.ts';
import { gpuMemory } from '../gpu/errors.ts';
import { type MemoryPlan, planMemory } from '../gpu/memory-plan.ts';
import type { Pass } from '../model/forward.ts';
import type { Block } from '../model/lora.ts';
import { TensorScope } from '../model/scope.ts';
import type { RecomputeMode } from './engine.ts';
import { evaluate, learn, type PassKind, type PassObjective } from './passes.ts';

/** All modes, what computes least again first. */
export const MODES: readonly RecomputeMode[] = ['none', 'cheap', 'mlp', 'block'];
/** Left to the driver and to tables of packs. */
const MARGIN = 512 * 2 ** 20;

/** A plan for one mode. */
export interface PassPlans {
  mode: RecomputeMode;
  plans: ReadonlyMap<PassKind, MemoryPlan>;
  /** Bytes of the one allocation; of them what the forward pass leaves behind, and the most that head and way back add. */
  bytes: number;
  kept: number;
  head: number;
  back: number;
  /** Bytes of the output on which algorithms of matrix products are tried out. */
  trial: number;
}

const CONSTANT: PassObjective = Object.assign((logProbs: Float64Array) => ({ loss: 0, gradient: logProbs }), {
  constantGradient: ({ targets }: PackedBatch) => new Float64Array(targets.length),
});
const COMPUTED: PassObjective = (logProbs) => ({ loss: 0, gradient: logProbs });

/** A pack of one text of so many tokens, every one of them a target. */
export function largestBatch(tokens: number): PackedBatch {
  const rows = Int32Array.from({ length: tokens }, (_, row) => row);
  return {
    tokens: new Int32Array(tokens),
    positions: rows,
    segments: [{ start: 0, length: tokens, parent: -1 }],
    lossRows: rows,
    targets: new Int32Array(tokens),
    examples: new Int32Array(tokens),
    exampleCount: 1,
    plainTokens: tokens,
  };
}

/**
 * Rehearses passes over the largest pack.
 *
 * @param pass with tensors of the real backend
 * @param bare blocks without adapters
 */
async function planPasses(
  planner: PassPlanner,
  pass: Pass,
  bare: readonly Block[],
  mode: RecomputeMode,
): Promise<PassPlans> {
  const plans = new Map<PassKind, MemoryPlan>();
  const sizes = { kept: 0, head: 0, back: 0, trial: 0 };
  const rehearse = async (
    kind: PassKind,
    of: readonly Block[],
    call: (pass: Pass, watch: () => void) => Promise<unknown>,
  ) => {
    const { backend, notes, largestProduct } = planner.rehearse();
    const scope = new TensorScope(backend);
    // A rehearsal notes on tensors what is written; the real ones must not think so.
    const blocks = structuredClone(of);
    const marks: number[] = [];
    await call({ ...pass, backend, scope, blocks, recompute: mode }, () => marks.push(notes.used, notes.takeMost()));
    scope.freeAll();
    plans.set(kind, planMemory(notes.lifetimes));
    const [kept = 0, , , head = 0] = marks;
    const back = notes.takeMost();
    if (kind === 'learn from constants') Object.assign(sizes, { kept, head: head - kept, back: back - kept });
    sizes.trial = Math.max(sizes.trial, largestProduct());
  };
  await rehearse('learn from constants', pass.blocks, (one, watch) => learn(one, CONSTANT, 1, watch));
  await rehearse('learn', pass.blocks, (one) => learn(one, COMPUTED, 1));
  await rehearse('evaluate', pass.blocks, (one) => evaluate(one, 1));
  await rehearse('evaluate base', bare, (one) => evaluate(one, 1));
  const bytes = Math.max(...[...plans.values()].map((plan) => plan.bytes));
  return { mode, plans, bytes, ...sizes };
}

/**
 * The first plan that fits.
 *
 * @throws AppError `gpu_memory` where none does
 */
export async function choosePlan(
  planner: PassPlanner,
  pass: Pass,
  bare: readonly Block[],
  modes: readonly RecomputeMode[],
): Promise<PassPlans> {
  let wanted = 0;
  for (const mode of modes) {
    const plan = await planPasses(planner, pass, bare, mode);
    wanted = plan.bytes + plan.trial + MARGIN;
    if (wanted <= planner.available()) return plan;
  }
  throw gpuMemory(wanted, planner.available());
}

const KEPT: Readonly<Record<RecomputeMode, string>> = {
  none: 'nothing is computed again on the way back',
  cheap: 'nothing that costs a matrix product is computed again on the way back',
  mlp: 'gate and up are computed again on the way back',
  block: 'whole blocks are computed again on the way back',
};

/** Sizes for the table, in bytes. */
export interface PlanSizes {
  packTokens: number;
  weights: number;
  adapter: number;
  workspace: number;
  free: number;
}

/** The plan as a table for people. */
export function planTable(plan: PassPlans, { packTokens, weights, adapter, workspace, free }: PlanSizes): string {
  const { mode, bytes, kept, head, back } = plan;
  const rows: [string, number][] = [
    ['weights', weights],
    ['adapter with gradients and moments', adapter],
    ['activations kept', kept],
    ['output head, way back', bytes - kept],
    ['workspace of cuBLASLt and cuDNN', workspace],
    ['in all', weights + adapter + bytes + workspace],
    ['free beside it', free],
  ];
  const lines = rows.map(([name, size]) => `  ${name.padEnd(36)}${gigabytes(size).padStart(7)} GB`);
  const most = `The head takes ${gigabytes(head)} GB, the way back ${gigabytes(back)} GB, one after the other.`;
  return [`GPU memory for packs of ${packTokens} tokens; ${KEPT[mode]}:`, ...lines, most].join('\n');
}

function gigabytes(bytes: number): string {
  return (bytes / 2 ** 30).toFixed(2);
}
