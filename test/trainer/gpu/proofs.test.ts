import { strict as assert } from 'node:assert';
import { type ProofPlaces, proofOf, spread } from '../../../bench/gpu/proofs.ts';
import { stepRatios, summaryLine } from '../../../bench/gpu/summary.ts';
import { compareAll } from '../../gpu/proof.ts';

const PLACES: ProofPlaces = {
  out: '',
  scratch: '',
  python: 'python3',
  small: 'small.gguf',
  coder: undefined,
  pairs: 'pairs.jsonl',
};

describe('the proofs that need a GPU', () => {
  it('hand the words behind a name to each command of ours, settings into its environment', () => {
    assert.deepEqual(spread('steps-4b:PACK=8192:cheap'), [
      'step-4b-i:PACK=8192:cheap',
      'step-4b-ii:PACK=8192:cheap',
      'peer-4b-i',
      'peer-4b-ii',
    ]);
    const { command, env } = proofOf('step-4b-ii:PACK=8192:cheap', PLACES);
    assert.deepEqual(command.slice(-4), ['bench/gpu/step.ts', '4b', 'ii', 'cheap']);
    assert.deepEqual(env, { PACK: '8192' });
  });

  it('name the files that a command needs, and refuse a name that there is none of', () => {
    const { command } = proofOf('gradients-small', PLACES);
    assert.deepEqual(command.slice(4), ['--pairs', 'pairs.jsonl', '--python', 'python3', '--base', 'small.gguf']);
    assert.throws(() => proofOf('step-4b', PLACES), /no proof step-4b/);
  });

  it('show of many results what is off alone', () => {
    const lines = Array.from({ length: 20 }, (_, value) => ({ what: `case ${value}`, value, pass: value !== 7 }));
    const told = summaryLine({ name: 'kernels', outcome: 'FAILED (1)', seconds: 3.4, deviceGiB: 1.5, lines });
    assert.match(told, /^kernels +FAILED \(1\) +3 s {2}1.5 GiB {2}19 of 20 as they should be\n {4}case 7 7$/);
  });

  it('compare steps with those of PyTorch on the same shape and workload by tokens a second', () => {
    const common = { outcome: 'ok', seconds: 9 };
    const step = { bench: 'step', shape: '4b', workload: 'i', seconds: 1, tokensPerSecond: 300, peakGiB: 20 };
    const ours = { ...common, name: 'step-4b-i:cheap', deviceGiB: 21, lines: [step] };
    const peers = ['i', 'ii'].map((workload) => ({
      ...common,
      name: `peer-4b-${workload}`,
      deviceGiB: 31,
      lines: [{ test: 'env' }, { tok_s: workload === 'i' ? 200 : 100, step_s: 2, peak_GiB: 30 }],
    }));
    assert.deepEqual(stepRatios([ours, ...peers]), [
      'step-4b-i:cheap: 1 s, PyTorch 2 s: 1.50 times its tokens a second',
      'step-4b-i:cheap: 21 GiB of the GPU, PyTorch 31 GiB (allocated alone 20 and 30)',
    ]);
    assert.deepEqual(stepRatios([ours]), []);
  });

  it('take a direction that is no number for the farthest one, wherever it stands', () => {
    const theirs = new Map([
      ['a', [1, 0]],
      ['b', [0, 1]],
      ['c', [1, 1]],
    ]);
    const turned = compareAll(new Map([...theirs, ['c', [1, 0]]]), theirs);
    assert.equal(turned.lowest.name, 'c');
    assert.ok(Math.abs(turned.lowest.cosine - Math.SQRT1_2) < 1e-12);
    const zero = compareAll(new Map([...theirs, ['a', [0, 0]]]), theirs);
    assert.deepEqual(zero.lowest, { name: 'a', cosine: Number.NaN });
  });
});
