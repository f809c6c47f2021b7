import assert from 'node:assert/strict';
import { ProgressView, readableSeconds, renderProgress } from '../../../src/cli/pull-progress.ts';
import type { PullProgress } from '../../../src/runtime/model/progress.ts';

function at(bytes: number, more: Partial<PullProgress> = {}): PullProgress {
  return { step: 'downloading', bytes, total: 1_000_000_000, bytesPerSecond: null, secondsLeft: null, ...more };
}

/** A target that keeps what it is given. */
function target(isTerminal: boolean) {
  const written: string[] = [];
  const lines: string[] = [];
  return {
    written,
    lines,
    isTerminal,
    write: (text: string) => written.push(text),
    line: (text: string) => lines.push(text),
  };
}

describe('progress of a pull on the command line', () => {
  it('says bytes, share, rate and remaining time as far as they are known', () => {
    assert.equal(renderProgress(at(0)), 'downloading: 0 kB of 1.00 GB (0 %)');
    assert.equal(
      renderProgress(at(250_000_000, { bytesPerSecond: 5_000_000, secondsLeft: 150 })),
      'downloading: 250.0 MB of 1.00 GB (25 %), 5.0 MB/s, 2 min 30 s left',
    );
    assert.equal(
      renderProgress(at(1_000_000_000, { bytesPerSecond: 5_000_000, secondsLeft: 0 })),
      'downloading: 1.00 GB of 1.00 GB (100 %), 5.0 MB/s',
    );
  });

  it('says times for people', () => {
    assert.deepEqual([0.4, 59, 60, 3599, 7500].map(readableSeconds), [
      '0 s',
      '59 s',
      '1 min 0 s',
      '59 min 59 s',
      '2 h 5 min',
    ]);
  });

  it('changes one line on a terminal, and leaves nothing of a longer one', () => {
    const terminal = target(true);
    const view = new ProgressView(terminal);
    view.show(at(250_000_000, { bytesPerSecond: 5_000_000, secondsLeft: 150 }));
    view.show(at(0));
    view.end();
    const [first, second, end] = terminal.written;
    assert.equal(second?.length, first?.length);
    assert.match(second ?? '', /^\rdownloading: 0 kB of 1\.00 GB \(0 %\) +$/);
    assert.equal(end, '\n');
    assert.deepEqual(terminal.lines, []);
  });

  it('writes a line for each tenth and each step elsewhere', () => {
    const log = target(false);
    const view = new ProgressView(log);
    for (const million of [0, 10, 99, 100, 101, 250, 1000]) view.show(at(million * 1_000_000));
    view.show(at(0, { step: 'checking' }));
    view.end();
    assert.deepEqual(
      log.lines.map((line) => /\((\d+) %\)/.exec(line)?.[1]),
      ['0', '10', '25', '100', '0'],
    );
    assert.deepEqual(log.written, []);
  });
});
