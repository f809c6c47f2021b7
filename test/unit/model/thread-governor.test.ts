import assert from 'node:assert/strict';
import { ThreadGovernor } from '../../../src/runtime/model/thread-governor.ts';

describe('number of threads', () => {
  it('is the most on a machine that does nothing else', () => {
    const governor = new ThreadGovernor(4, 4);
    assert.equal(governor.threads, 4);
    governor.observeMachine({ wallMs: 1000, cpuMs: 1000, busyMs: 1100 });
    assert.equal(governor.threads, 4);
  });

  it('leaves the cores to others that they use', () => {
    const governor = new ThreadGovernor(4, 4);
    governor.observeMachine({ wallMs: 1000, cpuMs: 1000, busyMs: 3000 });
    assert.equal(governor.threads, 2);
  });

  it('is one where others use all cores, and more again when they are done', () => {
    const governor = new ThreadGovernor(2, 2);
    governor.observeMachine({ wallMs: 1000, cpuMs: 600, busyMs: 2000 });
    assert.equal(governor.threads, 1);
    governor.observeMachine({ wallMs: 1000, cpuMs: 1000, busyMs: 1050 });
    assert.equal(governor.threads, 2);
  });

  it('stays where threads get their time', () => {
    const governor = new ThreadGovernor(4, 4);
    for (let now = 0; now < 1000; now += 100) governor.observeStep({ wallMs: 100, cpuMs: 340 }, now);
    assert.equal(governor.threads, 4);
  });

  it('falls to the threads that got their time, though cores looked free', () => {
    const governor = new ThreadGovernor(4, 64);
    governor.observeStep({ wallMs: 100, cpuMs: 210 }, 0);
    assert.equal(governor.threads, 2);
  });

  it('falls by one at least, and never below one', () => {
    const governor = new ThreadGovernor(2, 2);
    governor.observeStep({ wallMs: 100, cpuMs: 10 }, 0);
    assert.equal(governor.threads, 1);
    governor.observeStep({ wallMs: 100, cpuMs: 10 }, 100);
    assert.equal(governor.threads, 1);
  });

  it('is not judged by a step of a few milliseconds', () => {
    const governor = new ThreadGovernor(2, 2);
    governor.observeStep({ wallMs: 20, cpuMs: 10 }, 0);
    assert.equal(governor.threads, 2);
    governor.observeStep({ wallMs: 50, cpuMs: 20 }, 50);
    assert.equal(governor.threads, 1);
  });

  it('tries more threads after a while', () => {
    const governor = new ThreadGovernor(2, 2);
    governor.observeStep({ wallMs: 100, cpuMs: 100 }, 1000);
    governor.observeStep({ wallMs: 100, cpuMs: 100 }, 10_999);
    assert.equal(governor.threads, 1);
    governor.observeStep({ wallMs: 10, cpuMs: 10 }, 11_000);
    assert.equal(governor.threads, 2);
  });
});
