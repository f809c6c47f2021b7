import { fork } from 'node:child_process';
import { childEntry } from '../../../src/runtime/paths.ts';
import type { CompileReply, CompileRequest } from './compiler-messages.ts';

/** A compiler that takes longer hangs: it takes seconds. */
const PATIENCE_MS = 60_000;

/**
 * Compiles in a process of its own, so that neither a compiler that ends its process nor the room that it wants is the caller's
 * matter, and the caller goes on meanwhile. Never rejects.
 */
export function compile(request: CompileRequest): Promise<CompileReply> {
  return new Promise((resolve) => {
    // Nothing that the caller was started with (an inspector's port, say) is for this process.
    const child = fork(childEntry('trainer-compiler'), [], {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    child.once('message', (reply) => resolve(reply as CompileReply));
    child.once('error', ({ message }) => resolve({ problem: `could not be started (${message})` }));
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ problem: `ended without an answer (${signal ?? `exit code ${code}`})` });
    });
    child.send(request, (error) => {
      if (error !== null) child.kill('SIGKILL');
    });
  });
}
