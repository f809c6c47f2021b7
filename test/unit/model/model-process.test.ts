import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { AppError } from '../../../src/protocol/errors.ts';
import type { ModelLoad } from '../../../src/protocol/model-channel.ts';
import { isAlive } from '../../../src/runtime/alive.ts';
import { ModelProcess, type ModelQuestion, type Schedule } from '../../../src/runtime/model/model-process.ts';
import { withCode } from './support/fixture.ts';

const program = fileURLToPath(new URL('./support/fake-child.mjs', import.meta.url));

function load(name: string): ModelLoad {
  const numbers = { contextTokens: 1, stateBytesPerToken: 1, chunkTokens: 1 };
  return { type: 'load', name, base: 'b', adapter: 'a', weights: 'w', ...numbers, states: null };
}

function question(text: string): ModelQuestion {
  const sampling = { temperature: 0, seed: null, maxTokens: 10 };
  return { messages: [{ role: 'user', content: text }], stablePrefix: 0, keepState: false, ...sampling };
}

/** Timers that the test runs by hand. */
class HandTimers {
  readonly pending: { work: () => void; ms: number }[] = [];
  readonly schedule: Schedule = (work, ms) => {
    const timer = { work, ms };
    this.pending.push(timer);
    return () => {
      const at = this.pending.indexOf(timer);
      if (at >= 0) this.pending.splice(at, 1);
    };
  };
  run(ms: number): void {
    for (const timer of this.pending.filter((candidate) => candidate.ms === ms)) timer.work();
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('process of a local model', () => {
  let timers: HandTimers;
  let prepared: number;
  let opened: ModelProcess[];
  beforeEach(() => {
    timers = new HandTimers();
    prepared = 0;
    opened = [];
  });
  afterEach(async () => {
    for (const model of opened) await model.dispose();
  });

  const openModel = (name = 'fake', prepare?: () => Promise<ModelLoad>) => {
    const count = async () => {
      prepared += 1;
      return load(name);
    };
    const model = new ModelProcess({
      name,
      program,
      prepare: prepare ?? count,
      idleMs: 1000,
      graceMs: 150,
      schedule: timers.schedule,
    });
    opened.push(model);
    return model;
  };
  const ask = (model: ModelProcess, text: string, signal?: AbortSignal, onWriting: () => void = () => undefined) =>
    model.chat(question(text), (event) => event.type === 'writing' && onWriting(), signal);

  it('starts with the first chat and stays for the next', async () => {
    const model = openModel();
    assert.equal(model.pid, null);
    assert.equal((await ask(model, 'answer one')).text, 'one');
    const { pid } = model;
    assert.equal((await ask(model, 'answer two')).text, 'two');
    assert.equal(model.pid, pid);
    assert.equal(prepared, 1);
  });

  it('answers chats one after the other', async () => {
    const model = openModel();
    const answers = await Promise.all(['a', 'b', 'c'].map((text) => ask(model, `answer ${text}`)));
    assert.deepEqual(
      answers.map(({ text }) => text),
      ['a', 'b', 'c'],
    );
    assert.equal(prepared, 1);
  });

  it('reports a crash with what it left on stderr, and starts anew with the next chat', async () => {
    const model = openModel();
    await assert.rejects(ask(model, 'crash'), (error: unknown) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, 'provider_crashed');
      assert.match(error.message, /exit code 7.*Ask again/);
      assert.match(String(error.data['log']), /out of luck/);
      return true;
    });
    assert.equal((await ask(model, 'answer again')).text, 'again');
    assert.equal(prepared, 2);
  });

  it('reports being killed from outside', async () => {
    const model = openModel();
    const onWriting = () => process.kill(model.pid ?? 0, 'SIGKILL');
    await assert.rejects(
      ask(model, 'slow', undefined, onWriting),
      (error: Error) => withCode('provider_crashed')(error) && error.message.includes('SIGKILL'),
    );
  });

  it('passes on what the child refuses, and stays', async () => {
    const model = openModel();
    await assert.rejects(ask(model, 'refuse'), withCode('prompt_too_long'));
    assert.equal((await ask(model, 'answer still here')).text, 'still here');
    assert.equal(prepared, 1);
  });

  it('ends where loading fails', async () => {
    const model = openModel('broken');
    await assert.rejects(ask(model, 'answer'), withCode('provider_load_failed'));
    await until(() => model.pid === null);
  });

  it('says so where the program cannot be started', async () => {
    const model = new ModelProcess({
      name: 'fake',
      program: `${program}.nowhere`,
      prepare: async () => load('fake'),
      idleMs: 1000,
      schedule: timers.schedule,
    });
    await assert.rejects(ask(model, 'answer'), withCode('provider_crashed'));
  });

  describe('when cancelled', () => {
    it('before the chat, starts nothing', async () => {
      const model = openModel();
      await assert.rejects(ask(model, 'answer', AbortSignal.abort()), withCode('cancelled'));
      assert.equal(model.pid, null);
      assert.equal(prepared, 0);
    });

    it('while its files are made ready, starts nothing', async () => {
      const controller = new AbortController();
      const model = openModel('fake', async () => {
        controller.abort();
        return new Promise<never>(() => undefined);
      });
      await assert.rejects(ask(model, 'answer', controller.signal), withCode('cancelled'));
      assert.equal(model.pid, null);
    });

    it('while it loads, is killed at once', async () => {
      const controller = new AbortController();
      const model = openModel('stuck');
      const asking = ask(model, 'answer', controller.signal);
      await until(() => model.pid !== null);
      const pid = model.pid ?? 0;
      controller.abort();
      timers.run(0);
      await assert.rejects(asking, withCode('cancelled'));
      assert.equal(isAlive(pid), false);
    });

    it('while it answers, stops and stays', async () => {
      const controller = new AbortController();
      const model = openModel();
      await assert.rejects(
        ask(model, 'slow', controller.signal, () => controller.abort()),
        withCode('cancelled'),
      );
      assert.equal((await ask(model, 'answer still here')).text, 'still here');
      assert.equal(prepared, 1);
    });

    it('and it does not stop in time, is killed', async () => {
      const controller = new AbortController();
      const model = openModel();
      const asking = ask(model, 'hang', controller.signal, () => {
        controller.abort();
        timers.run(150);
      });
      const rejected = assert.rejects(asking, withCode('cancelled'));
      await until(() => model.pid !== null);
      const pid = model.pid ?? 0;
      await rejected;
      assert.equal(isAlive(pid), false);
      assert.equal((await ask(model, 'answer anew')).text, 'anew');
    });

    it('while it waits for another chat, leaves that one alone', async () => {
      const controller = new AbortController();
      const model = openModel();
      const first = new AbortController();
      const running = assert.rejects(
        ask(model, 'slow', first.signal, () => controller.abort()),
        withCode('cancelled'),
      );
      await assert.rejects(ask(model, 'answer never', controller.signal), withCode('cancelled'));
      first.abort();
      await running;
      assert.equal((await ask(model, 'answer third')).text, 'third');
    });
  });

  it('is ended when it was idle for long, and starts again', async () => {
    const model = openModel();
    await ask(model, 'answer');
    const pid = model.pid ?? 0;
    timers.run(1000);
    await until(() => model.pid === null);
    assert.equal(isAlive(pid), false);
    assert.equal((await ask(model, 'answer anew')).text, 'anew');
  });

  it('starts again for a chat that comes while it is being ended', async () => {
    const model = openModel();
    await ask(model, 'answer');
    timers.run(1000);
    assert.equal((await ask(model, 'answer anew')).text, 'anew');
    assert.equal(prepared, 2);
  });

  it('is loaded ahead of a chat when it is warmed, once', async () => {
    const model = openModel();
    await model.warm();
    assert.notEqual(model.pid, null);
    assert.equal((await ask(model, 'answer warm')).text, 'warm');
    await model.warm();
    assert.equal(prepared, 1);
  });

  it('tells what failed while it was warmed with the next chat', async () => {
    const broken = openModel('broken');
    await broken.warm();
    await assert.rejects(ask(broken, 'answer'), withCode('provider_load_failed'));
    const unprepared = openModel('fake', () => Promise.reject(new AppError('model_part_missing', 'no part')));
    await unprepared.warm();
    await assert.rejects(ask(unprepared, 'answer'), withCode('model_part_missing'));
  });

  it('is gone where warming it was cancelled while it loaded', async () => {
    const controller = new AbortController();
    const model = openModel('stuck');
    await model.warm(controller.signal);
    const pid = model.pid ?? 0;
    assert.ok(isAlive(pid));
    controller.abort();
    await until(() => model.pid === null);
    assert.ok(!isAlive(pid));
  });

  it('is not ended while it answers', async () => {
    const model = openModel();
    await ask(model, 'answer');
    const controller = new AbortController();
    await assert.rejects(
      ask(model, 'slow', controller.signal, () => {
        timers.run(1000);
        controller.abort();
      }),
      withCode('cancelled'),
    );
    assert.equal((await ask(model, 'answer still here')).text, 'still here');
    assert.equal(prepared, 1);
  });

  it('starts nothing any more once it was disposed of', async () => {
    const model = openModel();
    await model.dispose();
    await assert.rejects(ask(model, 'answer'), withCode('cancelled'));
    assert.equal(model.pid, null);
  });

  it('is gone when it was disposed of, and a chat that ran is cancelled', async () => {
    const model = openModel();
    const asking = assert.rejects(
      ask(model, 'slow', undefined, () => void model.dispose()),
      withCode('cancelled'),
    );
    await until(() => model.pid !== null);
    const pid = model.pid ?? 0;
    await asking;
    await until(() => !isAlive(pid));
    assert.equal(model.pid, null);
  });

  it('is waited for until its last pipe is closed, also where nothing else keeps the program alive', async () => {
    const disposer = fileURLToPath(new URL('./support/disposer.ts', import.meta.url));
    for (const when of ['after', 'amid']) {
      const { stdout } = await promisify(execFile)(process.execPath, [disposer, when]);
      assert.equal(stdout, 'disposed\n', when);
    }
  });
});
