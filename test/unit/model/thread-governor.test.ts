import assert from 'node:assert/strict';
import { ThreadGovernor } from '../../../src/runtime/model/thread-governor.ts';

describe('number of threads', () => {
  it('stays at the most while threads get their time', () => {
    const governor = new ThreadGovernor(4);
    for (let now = 0; now < 1000; now += 100) governor.observe({ wallMs: 100, cpuMs: 340 }, now);
    assert.equal(governor.threads, 4);
  });

  it('falls to what the machine has time for', () => {
    const governor = new ThreadGovernor(4);
    governor.observe({ wallMs: 100, cpuMs: 210 }, 0);
    assert.equal(governor.threads, 2);
  });

  it('falls by one at least, and never below one', () => {
    const governor = new ThreadGovernor(2);
    governor.observe({ wallMs: 100, cpuMs: 10 }, 0);
    assert.equal(governor.threads, 1);
    governor.observe({ wallMs: 100, cpuMs: 10 }, 100);
    assert.equal(governor.threads, 1);
  });

  it('is not judged by a step of a few milliseconds', () => {
    const governor = new ThreadGovernor(2);
    governor.observe({ wallMs: 20, cpuMs: 10 }, 0);
    assert.equal(governor.threads, 2);
    governor.observe({ wallMs: 50, cpuMs: 20 }, 50);
    assert.equal(governor.threads, 1);
  });

  it('goes back to the most after a while', () => {
    const governor = new ThreadGovernor(2);
    governor.observe({ wallMs: 100, cpuMs: 100 }, 1000);
    governor.observe({ wallMs: 100, cpuMs: 100 }, 10_999);
    assert.equal(governor.threads, 1);
    governor.observe({ wallMs: 100, cpuMs: 100 }, 11_000);
    assert.equal(governor.threads, 2);
  });
});
