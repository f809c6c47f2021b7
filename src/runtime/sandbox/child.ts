// The process that runs SQL of models and users. It answers one request at a time and ends with its parent.
import { flushCompileCache } from 'node:module';
import { toWireError } from '../../protocol/errors.ts';
import { type SandboxReply, SandboxRequest, SandboxStart } from '../../protocol/sandbox-channel.ts';
import { Session } from './child-session.ts';
import { startWatchdog } from './child-watchdog.ts';

/** An idle child lets go of its files after this time, so that they can be moved or deleted everywhere. */
const IDLE_MS = 5000;
/** The watchdog ends the process when the parent is gone; this is for a machine that gave it no thread. */
const ORPHAN_MS = 5000;

const session = new Session();
const idle = setTimeout(() => session.close(), IDLE_MS).unref();

function answer(request: SandboxRequest): SandboxReply {
  try {
    const found = session.answer(request);
    return 'result' in found
      ? { type: 'result', id: request.id, result: found.result }
      : { type: 'snapshot', id: request.id, reason: found.snapshot };
  } catch (error) {
    return { type: 'failed', id: request.id, error: toWireError(error) };
  }
}

/** Sends to the parent. One that is gone hears nothing; what is left to do then is for the watchdog. */
function send(reply: SandboxReply): void {
  process.send?.(reply, undefined, undefined, () => {});
}

process.on('message', (message) => {
  send(answer(SandboxRequest.parse(message)));
  idle.refresh();
});
// Ctrl-C in a terminal reaches all processes; what becomes of a query is for the parent to say.
process.on('SIGINT', () => {});
process.on('disconnect', () => setTimeout(() => process.exit(), ORPHAN_MS));
send({ type: 'ready' });
startWatchdog(SandboxStart.parse(JSON.parse(process.argv[2] ?? '')));
// This process is killed in the end, so that Node never comes to keep what it compiled.
if (process.env['NODE_COMPILE_CACHE'] !== undefined) setImmediate(flushCompileCache);
