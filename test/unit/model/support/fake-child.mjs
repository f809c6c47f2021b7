// A model child without a model, for the tests of its parent. What a chat asks for stands in its last message:
// "answer X" answers X; "crash" ends at once; "hang" never answers, not even to a cancellation; "slow" answers nothing
// until it is cancelled; "refuse" fails; "linger X" answers, and leaves its stderr open for a while when it is killed. The name that it is loaded under may be "broken" (loading fails) or "stuck"
// (loading never ends).
import { spawn } from 'node:child_process';

process.on('disconnect', () => process.exit(0));
let loaded = false;
process.on('message', (message) => {
  if (message.type === 'load') {
    if (message.name === 'broken')
      process.send({ type: 'failed', id: null, error: { code: 'provider_load_failed', message: 'no such model' } });
    if (message.name !== 'broken' && message.name !== 'stuck') {
      loaded = true;
      process.send({ type: 'loaded', gpu: null, threads: 1, ms: 1 });
    }
  }
  if (message.type === 'cancel' && !globalThis.hangs)
    process.send({ type: 'failed', id: message.id, error: { code: 'cancelled', message: 'cancelled', data: {} } });
  if (message.type !== 'chat' || !loaded) return;
  const { id } = message;
  const [word, ...rest] = message.messages.at(-1).content.split(' ');
  process.send({ type: 'writing', id });
  if (word === 'crash') {
    process.stderr.write('out of luck\n');
    process.exit(7);
  }
  globalThis.hangs = word === 'hang';
  if (word === 'refuse')
    process.send({
      type: 'failed',
      id,
      error: { code: 'prompt_too_long', message: 'too long', data: { promptTokens: 9 } },
    });
  if (word === 'linger')
    spawn(process.execPath, ['-e', 'setTimeout(() => {}, 300)'], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (word !== 'answer' && word !== 'linger') return;
  const text = rest.join(' ');
  process.send({ type: 'text', id, text });
  const timings = { promptTokens: 1, readTokens: 1, readMs: 1, writtenTokens: 1, writeMs: 1, state: 'none' };
  process.send({ type: 'done', id, text, finish: 'stop', timings });
});
