import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ChatRequest } from '../../../src/core/ports.ts';
import { AppError } from '../../../src/protocol/errors.ts';
import { isAlive } from '../../../src/runtime/alive.ts';
import { createLocalProvider, type LocalProvider } from '../../../src/runtime/model/local-provider.ts';
import { withCode } from './support/fixture.ts';
import { chatAbout, SCHEMA } from './support/questions.ts';

const asker = fileURLToPath(new URL('./support/asker.ts', import.meta.url));

/** Waits for something that another process does; the test's own time-out ends it where it never comes. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(10);
}

interface Phase {
  phase: string;
  detail: string | null;
}

/** Asks and records what the provider tells meanwhile. */
async function ask(provider: LocalProvider, request: ChatRequest, signal?: AbortSignal) {
  const phases: Phase[] = [];
  let streamed = '';
  const onPhase = (phase: string, detail: string | null) => phases.push({ phase, detail });
  const onToken = (text: string) => {
    streamed += text;
  };
  const reply = await provider.chat(request, { onPhase, onToken }, signal);
  return { ...reply, phases, streamed, readTokens: readTokens(phases) };
}

/** Tokens that had to be read, as the provider's estimate says. */
function readTokens(phases: readonly Phase[]): number {
  const detail = phases.find(({ phase }) => phase === 'prompting')?.detail ?? '';
  return Number(/(\d+) tokens to read/.exec(detail)?.[1]);
}

// These load the bundled model, which takes a second or two, more where the machine is busy.
describe('the bundled local model', function () {
  this.timeout(120_000);
  let storage: string;
  let provider: LocalProvider;
  const extra: LocalProvider[] = [];

  before(() => {
    storage = mkdtempSync(join(tmpdir(), 'sql-agent-local-'));
    provider = createLocalProvider({ name: 'small', storage });
  });
  after(async () => {
    for (const one of [provider, ...extra]) await one.dispose();
    rmSync(storage, { recursive: true, force: true });
  });

  const another = () => {
    const one = createLocalProvider({ name: 'small', storage });
    extra.push(one);
    return one;
  };

  it('says what it is before anything is loaded', () => {
    assert.equal(provider.protocol, 'one_shot');
    assert.equal(provider.pid, null);
    assert.match(provider.model.accuracy ?? '', /more than half/i);
    assert.match(provider.model.accuracy ?? '', /sql-agent model pull coder/);
    assert.equal(provider.repairs, true);
  });

  it('answers a question with SQL, streaming it, and tells its phases with an estimate', async () => {
    const reply = await ask(provider, chatAbout('How many singers do we have?'));
    assert.equal(reply.text, 'SELECT COUNT(*) FROM singer');
    assert.equal(reply.streamed, reply.text);
    assert.equal(reply.finish, 'stop');
    assert.ok(reply.completionTokens && reply.completionTokens > 3);
    const order = reply.phases.map(({ phase }) => phase);
    assert.deepEqual([...new Set(order)], ['loading', 'prompting', 'generating']);
    assert.match(reply.phases[0]?.detail ?? '', /^about \d+ s: 98\.4 MB to load, about \d+ tokens to read/);
    assert.equal(reply.readTokens, reply.promptTokens);
  });

  it('reads only what is new of a second question on the same schema', async () => {
    const { readTokens: read, promptTokens, phases } = await ask(provider, chatAbout('Show the name of each venue.'));
    assert.ok(promptTokens && promptTokens > 150 && read < 25, `${read} of ${promptTokens} tokens were read`);
    assert.equal(phases[0]?.phase, 'prompting');
  });

  it('takes the state after a schema from disk when it starts again', async () => {
    const started = another();
    const { readTokens: read, text } = await ask(started, chatAbout('How many singers do we have?'));
    assert.ok(read < 25, `${read} tokens were read`);
    assert.equal(text, 'SELECT COUNT(*) FROM singer');
  });

  it('keeps no state where none is asked for', async () => {
    const kept = () => readdirSync(join(storage, 'states', 'small')).length;
    const before = kept();
    const schema = SCHEMA.replace('seats', 'chairs');
    await ask(provider, { ...chatAbout('How many venues are there?', schema), prefixKey: null });
    assert.equal(kept(), before);
    await ask(provider, chatAbout('How many venues are there?', `${schema}-- another one\n`));
    assert.ok(kept() > before);
  });

  it('samples by the seed: the same one the same, others not all alike', async () => {
    const sample = async (seed: number) =>
      (await ask(provider, { ...chatAbout('List the singers of concerts in 2014.'), temperature: 1.5, seed })).text;
    const first = await sample(1);
    assert.equal(await sample(1), first);
    const others = [await sample(2), await sample(3), await sample(4)];
    assert.ok(
      others.some((text) => text !== first),
      'four seeds gave one answer',
    );
  });

  it('answers greedily what it answered before, whatever was asked in between', async () => {
    const { text } = await ask(provider, chatAbout('How many singers do we have?'));
    assert.equal(text, 'SELECT COUNT(*) FROM singer');
  });

  it('stops at the most tokens it may write', async () => {
    const reply = await ask(provider, { ...chatAbout('How many singers do we have?'), maxTokens: 3 });
    assert.equal(reply.finish, 'length');
    assert.equal(reply.completionTokens, 3);
  });

  it('takes more memory for a longer answer', async () => {
    const reply = await ask(provider, { ...chatAbout('How many singers do we have?'), maxTokens: 5000 });
    assert.equal(reply.text, 'SELECT COUNT(*) FROM singer');
  });

  it('refuses a prompt that it cannot hold, with both figures', async () => {
    const tables = Array.from({ length: 900 }, (_, index) => `table_${index}(id integer pk, name text, place text)\n`);
    const request = chatAbout('How many are there?', `Schema:\n${tables.join('')}`);
    await assert.rejects(ask(provider, request), (error: unknown) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, 'prompt_too_long');
      assert.equal(error.data['contextTokens'], 8192);
      assert.ok(Number(error.data['promptTokens']) > 8192);
      return true;
    });
    assert.equal((await ask(provider, chatAbout('How many singers do we have?'))).finish, 'stop');
  });

  describe('when cancelled', () => {
    const long: ChatRequest = { ...chatAbout('Tell me everything.'), temperature: 5, seed: 1, maxTokens: 3000 };

    it('while it writes, ends with the text so far, and answers the next question', async () => {
      const controller = new AbortController();
      const asking = provider.chat(long, { onToken: () => controller.abort() }, controller.signal);
      await assert.rejects(asking, (error: unknown) => {
        assert.ok(error instanceof AppError && error.code === 'cancelled');
        assert.notEqual(error.data['text'], '');
        return true;
      });
      assert.equal(
        (await ask(provider, chatAbout('How many singers do we have?'))).text,
        'SELECT COUNT(*) FROM singer',
      );
    });

    it('while it reads, writes nothing', async () => {
      const controller = new AbortController();
      const tables = Array.from(
        { length: 100 },
        (_, index) => `table_${index}(id integer pk, name text, place text)\n`,
      );
      const request = chatAbout('How many are there?', `Schema:\n${tables.join('')}`);
      const onPhase = (phase: string) => phase === 'prompting' && controller.abort();
      const onToken = () => assert.fail('something was written');
      await assert.rejects(provider.chat(request, { onPhase, onToken }, controller.signal), withCode('cancelled'));
    });

    it('while it loads, leaves no process', async () => {
      const controller = new AbortController();
      const started = another();
      const asking = assert.rejects(started.chat(long, {}, controller.signal), withCode('cancelled'));
      await until(() => started.pid !== null);
      const pid = started.pid ?? 0;
      controller.abort();
      await asking;
      assert.equal(isAlive(pid), false);
      assert.equal(started.pid, null);
    });
  });

  it('reports that its process was killed, and answers the next question', async () => {
    const onToken = () => process.kill(provider.pid ?? 0, 'SIGKILL');
    await assert.rejects(provider.chat(chatAbout('How many?'), { onToken }), withCode('provider_crashed'));
    assert.equal((await ask(provider, chatAbout('How many singers do we have?'))).text, 'SELECT COUNT(*) FROM singer');
  });

  for (const mode of ['generate', 'idle'])
    it(`dies with a parent that is killed, ${mode === 'idle' ? 'idle' : 'busy'}`, async () => {
      const parent = spawn(process.execPath, [asker, storage, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
      const [line] = await once(parent.stdout, 'data');
      const child = Number(String(line));
      assert.ok(isAlive(child));
      parent.kill('SIGKILL');
      await until(() => !isAlive(child));
    });

  it('does not keep a program that forgot it from ending', async () => {
    const parent = spawn(process.execPath, [asker, storage, 'end'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(parent.stdout, 'data');
    const [code] = await once(parent, 'close');
    assert.equal(code, 0);
    await until(() => !isAlive(Number(String(line))));
  });
});
