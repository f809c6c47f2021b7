import { fork } from 'node:child_process';
import { fromWireError } from '../../protocol/errors.ts';
import { type EngineInfo, ModelEvent, type ModelRequest } from '../../protocol/model-channel.ts';
import { childEntry } from '../paths.ts';
import { providerCrashed } from './errors.ts';
import { childEnvironment } from './model-process.ts';

const DEADLINE_MS = 20_000;

/**
 * Starts the engine of local models in a child of its own and asks what it is. No model is loaded.
 * @throws AppError `provider_engine_missing`, `provider_crashed`.
 */
export async function probeEngine(): Promise<EngineInfo> {
  const child = fork(childEntry('model-child'), [], {
    serialization: 'advanced',
    execArgv: [],
    env: childEnvironment(),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
  });
  try {
    return await new Promise<EngineInfo>((resolve, reject) => {
      child.once('error', (error) => reject(providerCrashed('the engine', error.message, '')));
      child.once('exit', (code, signal) =>
        reject(providerCrashed('the engine', signal ? `signal ${signal}` : `exit code ${code}`, '')),
      );
      child.on('message', (message) => {
        const event = ModelEvent.parse(message);
        if (event.type === 'engine') resolve(event.info);
        else if (event.type === 'failed') reject(fromWireError(event.error));
      });
      const request: ModelRequest = { type: 'probe' };
      child.send(request, () => undefined);
    });
  } finally {
    child.kill('SIGKILL');
  }
}
