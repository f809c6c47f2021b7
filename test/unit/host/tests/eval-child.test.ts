import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { evalEnvironment, evalWords } from '../../../../src/host/tests/command-line.ts';
import { type EvalChildOptions, runEvalChild } from '../../../../src/host/tests/eval-child.ts';
import type { EvalEvent } from '../../../../src/protocol/eval.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const NOTE = { type: 'note', text: 'hello' };

describe('an evaluation in a process of its own', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  /** Runs a program in place of the command line. @param body its JavaScript */
  function start(body: string, signal = new AbortController().signal, onEvent = (_event: EvalEvent) => {}) {
    const program = join(folder.path, `program-${Math.random()}.mjs`);
    writeFileSync(program, body);
    const events: EvalEvent[] = [];
    const others: string[] = [];
    const options: EvalChildOptions = {
      words: [],
      cwd: folder.path,
      env: process.env,
      program,
      graceMs: 100,
      onEvent: async (event) => {
        events.push(event);
        onEvent(event);
      },
      onOther: (line) => others.push(line),
    };
    return { done: runEvalChild(options, signal), events, others };
  }

  const say = (value: unknown) => `console.log(${JSON.stringify(JSON.stringify(value))});`;

  it('runs the command line of this program to the end', async () => {
    const db = folder.database('shop.sqlite', 'CREATE TABLE item (id INTEGER); INSERT INTO item VALUES (1), (2);');
    const suite = join(folder.path, 'shop.sql-tests.jsonl');
    const question = { id: 'a', database: 'shop.sqlite', question: 'How many?', sql: 'SELECT count(*) FROM item' };
    writeFileSync(suite, `${JSON.stringify(question)}\n${JSON.stringify({ ...question, id: 'b', sql: 'SELECT 3' })}\n`);
    const script = join(folder.path, 'script.json');
    writeFileSync(script, JSON.stringify({ protocol: 'one_shot', replies: ['SELECT 2'], loop: true }));
    const words = evalWords({
      dataset: suite,
      databases: null,
      ids: null,
      results: join(folder.path, 'results'),
      model: { provider: 'scripted', path: script },
      settings: { link: 'auto', turns: 4, samples: 1, timeoutMs: 30_000 },
    });
    const events: EvalEvent[] = [];
    const env = evalEnvironment(process.env, join(folder.path, 'home'), null);
    const options = {
      words,
      cwd: folder.path,
      env,
      onEvent: async (event: EvalEvent) => void events.push(event),
      onOther: () => {},
    };
    await runEvalChild(options, new AbortController().signal);
    assert.ok(db.length > 0);
    assert.deepEqual(
      events
        .filter(({ type }) => type !== 'note')
        .map((event) => (event.type === 'item' ? event.record.outcome : event.type)),
      ['started', 'right', 'wrong_rows', 'ended'],
    );
  });

  it('tells events, and apart from them whatever else is written', async () => {
    const { done, events, others } = start(`${say(NOTE)} console.log('plain'); console.log('{"type":"odd"}');`);
    await assert.rejects(done, { code: 'eval_ended' });
    assert.deepEqual(events, [NOTE]);
    assert.deepEqual(others, ['plain', '{"type":"odd"}']);
  });

  it('throws the error that the evaluation failed with', async () => {
    const error = { code: 'model_absent', message: 'Fetch it first.' };
    const { done } = start(`${say({ type: 'failed', error })} process.exitCode = 1;`);
    await assert.rejects(done, error);
  });

  it('says how it died and what it said last, where it did not end by itself', async () => {
    const { done } = start("console.error('no such option'); process.exitCode = 2;");
    await assert.rejects(done, { code: 'eval_ended', message: /\(exit code 2\): no such option/ });
    await assert.rejects(start("process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);").done, {
      message: /signal SIGKILL/,
    });
  });

  it('asks a child to stop, and keeps what it tells meanwhile', async () => {
    const controller = new AbortController();
    const body = `process.on('SIGTERM', () => { ${say({ type: 'note', text: 'stopping' })} process.exit(130); });
      ${say(NOTE)} setInterval(() => {}, 1000);`;
    const { done, events } = start(body, controller.signal, () => controller.abort());
    await assert.rejects(done, { code: 'cancelled' });
    assert.deepEqual(events, [NOTE, { type: 'note', text: 'stopping' }]);
  });

  it('kills a child that does not stop', async () => {
    const controller = new AbortController();
    const body = `process.on('SIGTERM', () => {}); ${say(NOTE)} setInterval(() => {}, 1000);`;
    await assert.rejects(start(body, controller.signal, () => controller.abort()).done, { code: 'cancelled' });
  });

  it('starts nothing where it was stopped before', async () => {
    const controller = new AbortController();
    controller.abort();
    const { done, events } = start(say(NOTE), controller.signal);
    await assert.rejects(done, { code: 'cancelled' });
    assert.deepEqual(events, []);
  });
});
