// Operations of a training step, each on both backends with random inputs and poisoned outputs.
import type { HeadShape } from '../../python-free-trainer/src/backend/backend.ts';
import type { Segment } from '../../python-free-trainer/src/data/batch.ts';
import { rotationTable } from '../../python-free-trainer/src/model/rotation.ts';
import {
  type Both,
  difference,
  fresh,
  onBoth,
  type Pair,
  poisoned,
  random,
  randomFloats,
  relative,
  toBfloat16,
} from './compare.ts';

/** Relative differences that are allowed: bfloat16 has 8 bits; what stays in float32 is nearer. */
const B16 = 1e-2;
const F32 = 1e-5;
/** Half a unit in the last of 8 bits, of numbers evenly spread: 2^-9 / √3, and some more. */
const ONE_ROUNDING = 2e-3;

/** Both backends, and what became of the cases. */
export class Trial {
  readonly pair: Pair;
  failed = 0;

  constructor(pair: Pair) {
    this.pair = pair;
  }

  /** Prints a line for each result: its difference, or how far a tensor of one backend is from the other's. */
  async check(name: string, limit: number, ...results: (Both | number)[]): Promise<void> {
    for (const [index, result] of results.entries()) {
      const value = typeof result === 'number' ? result : await difference(this.pair, result);
      const isFine = value <= limit;
      if (!isFine) this.failed++;
      console.log(
        `${isFine ? 'ok  ' : 'OFF '} ${name}${results.length > 1 ? ` [${index}]` : ''}: ${value.toExponential(2)} (limit ${limit})`,
      );
    }
  }
}

export async function normCase(trial: Trial, rows: number, width: number): Promise<void> {
  const { pair } = trial;
  const [from, delta] = [random(pair, rows, width, 'activation'), random(pair, rows, width, 'activation')];
  const weight = random(pair, 1, width, 'exact');
  const [out, rstd, residual] = [
    poisoned(pair, rows, width, 'activation'),
    poisoned(pair, rows, 1, 'exact'),
    poisoned(pair, rows, width, 'activation'),
  ];
  await onBoth(pair, (b, of) =>
    b.rmsNorm(of(out), of(rstd), of(residual), { from: of(from), delta: of(delta), lost: null }, of(weight), 1e-6),
  );
  await trial.check(`rmsNorm ${rows}x${width}`, B16, out, rstd, residual);
  await onBoth(pair, (b, of) => b.rmsNorm(of(out), of(rstd), of(from), null, of(weight), 1e-6));
  await trial.check(`rmsNorm without sum ${rows}x${width}`, B16, out);
  await trial.check(`rmsNorm rstd ${rows}x${width}`, F32, rstd);
  const [dOut, dResidual] = [random(pair, rows, width, 'activation'), random(pair, rows, width, 'activation')];
  await onBoth(pair, (b, of) => b.rmsNormBackward(of(dResidual), of(dOut), of(from), of(rstd), of(weight)));
  await trial.check(`rmsNormBackward ${rows}x${width}`, B16, dResidual);
}

/** How far a tensor of the GPU with what rounding took from it is from the CPU's. */
async function differenceInAll({ pair }: Trial, { cpu, cuda }: Both, lost: Both): Promise<number> {
  const [rounded, more] = [await pair.cuda.read(cuda), await pair.cuda.read(lost.cuda)];
  return relative(
    await pair.cpu.read(cpu),
    rounded.map((value, index) => value + (more[index] ?? 0)),
  );
}

/** What rounding takes from the residual stream, from normed rows and from the stream's gradient. */
export async function lostCase(trial: Trial, rows: number, width: number): Promise<void> {
  const { pair } = trial;
  const matrix = () => random(pair, rows, width, 'activation');
  const [from, ...deltas] = [matrix(), matrix(), matrix(), matrix()] as const;
  const weight = random(pair, 1, width, 'exact');
  const [out, rstd, residual] = [
    poisoned(pair, rows, width, 'activation'),
    poisoned(pair, rows, 1, 'exact'),
    poisoned(pair, rows, width, 'activation'),
  ];
  const lost = fresh(pair, rows, width, 'activation');
  for (const [index, delta] of deltas.entries())
    await onBoth(pair, (b, of) => {
      const carried = { tensor: of(lost), isAdded: index === 2 };
      const sum = { from: of(index === 0 ? from : residual), delta: of(delta), lost: carried };
      b.rmsNorm(of(out), of(rstd), of(residual), sum, of(weight), 1e-6);
    });
  await trial.check(`three sums with what is lost ${rows}x${width}`, F32, await differenceInAll(trial, residual, lost));
  const rest = poisoned(pair, rows, width, 'activation');
  await onBoth(pair, (b, of) => b.rmsNorm(of(out), of(rstd), of(from), null, of(weight), 1e-6, of(rest)));
  await trial.check('  rest of normed rows', F32, await differenceInAll(trial, out, rest));
  const [dOut, dResidual, dLost] = [matrix(), matrix(), fresh(pair, rows, width, 'activation')];
  for (let i = 0; i < 3; i++)
    await onBoth(pair, (b, of) =>
      b.rmsNormBackward(of(dResidual), of(dOut), of(from), of(rstd), of(weight), of(dLost)),
    );
  await trial.check('  gradients with what is lost', F32, await differenceInAll(trial, dResidual, dLost));
}

export async function rotationCase(trial: Trial, rows: number, shape: HeadShape, isNormed: boolean): Promise<void> {
  const { pair } = trial;
  const { heads, kvHeads, headDim } = shape;
  const width = (heads + 2 * kvHeads) * headDim;
  const frequencies = Float32Array.from({ length: headDim / 2 }, (_, i) => 1 / 10_000 ** ((2 * i) / headDim));
  const { cos, sin } = rotationTable(frequencies, 256);
  const table = (values: Float32Array): Both => ({
    cpu: pair.cpu.tensor(256, headDim / 2, values),
    cuda: pair.cuda.tensor(256, headDim / 2, values, 'exact'),
  });
  const tables = [table(cos), table(sin)] as const;
  const positions = Int32Array.from({ length: rows }, (_, i) => (i * 5) % 256);
  const weights = [random(pair, 1, headDim, 'exact'), random(pair, 1, headDim, 'exact')] as const;
  const [qkv, out, rstd] = [
    random(pair, rows, width, 'activation'),
    poisoned(pair, rows, width, 'activation'),
    poisoned(pair, rows, heads + kvHeads, 'exact'),
  ];
  const [dOut, dQkv] = [random(pair, rows, width, 'activation'), poisoned(pair, rows, width, 'activation')];
  await onBoth(pair, (b, of) => {
    const rotation = { cos: of(tables[0]), sin: of(tables[1]), positions };
    const heads_ = isNormed ? { q: of(weights[0]), k: of(weights[1]), eps: 1e-6 } : null;
    const means = isNormed ? of(rstd) : null;
    b.rotate(of(out), means, of(qkv), shape, rotation, heads_);
    b.rotateBackward(of(dQkv), of(dOut), of(qkv), means, shape, rotation, heads_);
  });
  await trial.check(`rotate ${heads}/${kvHeads} heads of ${headDim}`, B16, out, dQkv);
  if (isNormed) await trial.check(`rotate rstd ${headDim}`, F32, rstd);
  const [exact, kept] = [random(pair, rows, width, 'exact'), poisoned(pair, rows, width, 'activation')];
  const [rotated, again] = [poisoned(pair, rows, width, 'activation'), poisoned(pair, rows, heads + kvHeads, 'exact')];
  await onBoth(pair, (b, of) => {
    const rotation = { cos: of(tables[0]), sin: of(tables[1]), positions };
    const norms = isNormed ? { q: of(weights[0]), k: of(weights[1]), eps: 1e-6 } : null;
    b.rotate(of(rotated), isNormed ? of(again) : null, of(exact), shape, rotation, norms, of(kept));
  });
  const narrowed = toBfloat16(Float32Array.from(await pair.cpu.read(exact.cpu)));
  await trial.check(`rotate from float32 ${headDim}`, ONE_ROUNDING, rotated);
  await trial.check('  what is kept', 0, relative(narrowed, await pair.cuda.read(kept.cuda)));
  if (isNormed) await trial.check('  rstd', F32, again);
}

export async function gateCase(trial: Trial, rows: number, width: number): Promise<void> {
  const { pair } = trial;
  const [gateUp, out] = [random(pair, rows, 2 * width, 'activation', 3), poisoned(pair, rows, width, 'activation')];
  const [dOut, dGateUp] = [random(pair, rows, width, 'activation'), poisoned(pair, rows, 2 * width, 'activation')];
  await onBoth(pair, (b, of) => {
    b.swiglu(of(out), of(gateUp));
    b.swigluBackward(of(dGateUp), of(dOut), of(gateUp), null);
  });
  await trial.check(`swiglu ${rows}x${width}`, B16, out, dGateUp);
  const forward = await pair.cuda.read(out.cuda);
  await onBoth(pair, (b, of) => b.swigluBackward(of(dGateUp), of(dOut), of(gateUp), of(dOut)));
  await trial.check('  output again in place of its gradient', B16, dGateUp, dOut);
  await trial.check('  the same bits', 0, relative(forward, await pair.cuda.read(dOut.cuda)));
}

/** Texts one after another. */
export function texts(...lengths: number[]): Segment[] {
  let start = 0;
  return lengths.map((length) => {
    start += length;
    return { start: start - length, length, parent: -1 };
  });
}

export async function attentionCase(trial: Trial, name: string, segments: Segment[], shape: HeadShape): Promise<void> {
  const { pair } = trial;
  const { heads, kvHeads, headDim } = shape;
  const rows = segments.reduce((sum, { length }) => sum + length, 0);
  const width = (heads + 2 * kvHeads) * headDim;
  const qkv = random(pair, rows, width, 'activation', 2);
  const [out, logSum] = [poisoned(pair, rows, heads * headDim, 'activation'), poisoned(pair, rows, heads, 'exact')];
  const [dOut, dQkv] = [random(pair, rows, heads * headDim, 'activation'), poisoned(pair, rows, width, 'activation')];
  await onBoth(pair, (b, of) => {
    b.attention(of(out), of(logSum), of(qkv), shape, segments);
    b.attentionBackward(of(dQkv), of(dOut), of(out), of(logSum), of(qkv), shape, segments);
  });
  const what = `attention with ${pair.cuda.attentionBy}, ${name} ${heads}/${kvHeads} of ${headDim}`;
  await trial.check(what, B16, out, dQkv);
  await trial.check(`  logSum`, 1e-4, logSum);
  const first = await pair.cuda.read(dQkv.cuda);
  pair.cuda.attentionBackward(dQkv.cuda, dOut.cuda, out.cuda, logSum.cuda, qkv.cuda, shape, segments);
  await trial.check('  difference of a second backward pass', 0, relative(first, await pair.cuda.read(dQkv.cuda)));
}

/** Matrices of zeros that lie one behind the other. */
function beside(pair: Pair, shapes: readonly { rows: number; cols: number }[]): Both[] {
  const [cpu, cuda] = [pair.cpu.contiguous(shapes).parts, pair.cuda.contiguous(shapes).parts];
  return shapes.flatMap((_, index) => {
    const both = { cpu: cpu[index], cuda: cuda[index] };
    return both.cpu && both.cuda ? [{ cpu: both.cpu, cuda: both.cuda }] : [];
  });
}

/** @param members outputs of the layers that read one input, each with an adapter */
export async function projectionCase(
  trial: Trial,
  rows: number,
  width: number,
  members: readonly number[],
  isBiased: boolean,
  r: number,
): Promise<void> {
  const { pair } = trial;
  const outs = members.reduce((sum, out) => sum + out, 0);
  const scaleOf = 1 / Math.sqrt(width);
  const weight = random(pair, outs, width, 'weight', scaleOf);
  const bias = random(pair, 1, outs, 'exact');
  let from = 0;
  const joined = beside(
    pair,
    members.map(() => ({ rows: r, cols: width })),
  );
  const adapters = members.map((out, index) => {
    const adapter = {
      from,
      a: random(pair, r, width, 'exact', scaleOf),
      b: random(pair, out, r, 'exact', 0.3),
      // One behind the other, as in an engine, and each for itself.
      gradA: (isBiased ? undefined : joined[index]) ?? fresh(pair, r, width, 'exact'),
      gradB: fresh(pair, out, r, 'exact'),
    };
    from += out;
    return adapter;
  });
  const [x, out, low] = [
    random(pair, rows, width, 'activation'),
    poisoned(pair, rows, outs, 'activation'),
    poisoned(pair, rows, r * members.length, 'activation'),
  ];
  const [dOut, dX] = [random(pair, rows, outs, 'activation'), fresh(pair, rows, width, 'activation')];
  await onBoth(pair, (b, of) => {
    const projection = {
      weight: of(weight),
      bias: isBiased ? of(bias) : null,
      adapters: adapters.map((one) => ({
        from: one.from,
        a: of(one.a),
        b: of(one.b),
        gradA: of(one.gradA),
        gradB: of(one.gradB),
      })),
      scale: 2,
    };
    b.project(of(out), of(low), of(x), projection);
    b.projectBackward(of(dX), of(dOut), of(low), of(x), projection);
    b.projectBackward(of(dX), of(dOut), of(low), of(x), projection);
  });
  // On the GPU the columns of an adapter begin at a multiple of eight.
  const comparable = r % 8 === 0 ? [out, low, dX] : [out, dX];
  const name = `project ${rows}x${width} to ${members.join('+')}${isBiased ? ' biased' : ''}`;
  await trial.check(name, B16, ...comparable);
  for (const adapter of adapters) await trial.check('  gradients', B16, adapter.gradA, adapter.gradB);
}

/** A projection of rows that are given as bfloat16 and a rest, to float32. */
export async function exactProjectionCase(trial: Trial, rows: number, width: number, outs: number, isBiased: boolean) {
  const { pair } = trial;
  const values = randomFloats(rows * width, outs);
  const hidden = toBfloat16(values.slice());
  const remains = toBfloat16(values.map((value, index) => value - (hidden[index] ?? 0)));
  const all = hidden.map((value, index) => value + (remains[index] ?? 0));
  const x = { cpu: pair.cpu.tensor(rows, width, all), cuda: pair.cuda.tensor(rows, width, hidden) };
  const rest = { cpu: pair.cpu.tensor(rows, width), cuda: pair.cuda.tensor(rows, width, remains) };
  const [weight, bias] = [random(pair, outs, width, 'weight'), random(pair, 1, outs, 'exact')];
  const out = poisoned(pair, rows, outs, 'exact');
  await onBoth(pair, (b, of) => {
    const projection = { weight: of(weight), bias: isBiased ? of(bias) : null, adapters: [], scale: 1 };
    b.project(of(out), null, of(x), projection, of(rest));
  });
  await trial.check(`project ${rows}x${width} and its rest to ${outs} exactly`, F32, out);
}

export async function headCase(
  trial: Trial,
  { rows, vocab, width, count, temperature }: Record<'rows' | 'vocab' | 'width' | 'count' | 'temperature', number>,
): Promise<void> {
  const { pair } = trial;
  const hidden = random(pair, rows, width, 'activation');
  const head = random(pair, vocab, width, 'weight', 0.2);
  const at = Int32Array.from({ length: count }, (_, i) => (i * 7) % rows);
  const targets = Int32Array.from({ length: count }, (_, i) => (i * 31) % vocab);
  const gradient = Float64Array.from({ length: count }, (_, i) => Math.sin(i) / count);
  const dHidden = fresh(pair, rows, width, 'activation');
  const results: Float64Array[] = [];
  await onBoth(pair, async (b, of) => {
    const { logProbs, logSums } = await b.logProbs(of(hidden), of(head), at, targets, temperature);
    results.push(logProbs);
    b.logProbsBackward(of(dHidden), gradient, of(hidden), of(head), at, targets, temperature, logSums);
  });
  await trial.check(`logProbs ${vocab} words`, B16, relative(results[0] ?? [], results[1] ?? []), dHidden);
  const [again, late] = [fresh(pair, rows, width, 'activation'), results[1] ?? []];
  let inOne: Float64Array = new Float64Array();
  await onBoth(pair, async (b, of) => {
    const job = [of(hidden), of(head), at, targets, temperature] as const;
    inOne = (await b.logProbsWithGradient(of(again), gradient, ...job)).logProbs;
  });
  await trial.check(`logProbs with gradient ${vocab} words`, B16, relative(late, inOne), again);
}

export async function optimiserCase(trial: Trial, rows: number, cols: number): Promise<void> {
  const { pair } = trial;
  const [parameter, gradient, first, second] = [0, 1, 2, 3].map((index) =>
    random(pair, rows, cols, 'exact', index === 3 ? 0 : 0.1),
  ) as [Both, Both, Both, Both];
  const sums: number[] = [];
  await onBoth(pair, async (b, of) => {
    sums.push(await b.sumSquares([of(gradient), of(first)]));
    for (let step = 1; step <= 3; step++)
      b.adamw(of(parameter), of(gradient), of(first), of(second), {
        lr: 1e-3,
        beta1: 0.9,
        beta2: 0.95,
        eps: 1e-8,
        weightDecay: 0.01,
        gradScale: 0.5,
        step,
      });
  });
  await trial.check('sumSquares', F32, Math.abs((sums[0] ?? 0) - (sums[1] ?? 1)) / (sums[0] ?? 1));
  await trial.check('adamw', F32, parameter, first, second);
}

export async function embeddingCase(trial: Trial): Promise<void> {
  const { pair } = trial;
  const table = random(pair, 320, 64, 'weight');
  const out = poisoned(pair, 10, 64, 'activation');
  await onBoth(pair, (b, of) => b.embed(of(out), of(table), Int32Array.from([3, 0, 319, 5, 5, 7, 1, 2, 300, 9])));
  await trial.check('embed', 0, out);
}
