// The process of a local model: loads it, answers one chat at a time, and dies with its parent.
import { AppError, toWireError } from '../../protocol/errors.ts';
import { type ModelChat, type ModelEvent, type ModelLoad, ModelRequest } from '../../protocol/model-channel.ts';
import { answer } from './answer.ts';
import { evaluationFailed } from './errors.ts';
import { engineInfo, LlamaEngine } from './llama-engine.ts';
import { StateFiles } from './state-files.ts';

interface Loaded {
  engine: LlamaEngine;
  files: StateFiles | null;
  load: ModelLoad;
}

function send(event: ModelEvent): void {
  process.send?.(event);
}

/** Ends at once: an orderly exit would wait for the evaluation that runs on another thread. */
function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

async function openModel(load: ModelLoad): Promise<Loaded> {
  const started = performance.now();
  const engine = await LlamaEngine.open(load, (line) => process.stderr.write(`${line}\n`));
  const files = load.states ? new StateFiles(load.states.folder, load.states.maxBytes) : null;
  send({ type: 'loaded', gpu: engine.gpu, threads: engine.threads, ms: performance.now() - started });
  return { engine, files, load };
}

async function chat({ engine, files, load }: Loaded, request: ModelChat, isCancelled: () => boolean): Promise<void> {
  const { id } = request;
  const events = {
    reading: (promptTokens: number, readTokens: number) => send({ type: 'reading', id, promptTokens, readTokens }),
    writing: () => send({ type: 'writing', id }),
    text: (text: string) => send({ type: 'text', id, text }),
  };
  try {
    const { text, finish, timings } = await answer(engine, files, load.weights, request, events, isCancelled);
    send({ type: 'done', id, text, finish, timings });
  } catch (error) {
    const known = error instanceof AppError ? error : evaluationFailed(load.name, error);
    send({ type: 'failed', id, error: toWireError(known) });
  }
}

async function probe(): Promise<void> {
  send({ type: 'engine', info: await engineInfo((line) => process.stderr.write(`${line}\n`)) });
}

/** Serves the parent: `load` first, then chats one after the other. */
function serve(): void {
  let loaded: Promise<Loaded> | null = null;
  let work: Promise<void> = Promise.resolve();
  const cancelledChats = new Set<number>();
  process.on('disconnect', die);
  process.on('message', (message) => {
    const request = ModelRequest.parse(message);
    switch (request.type) {
      case 'load':
        loaded = openModel(request);
        loaded.catch((error: unknown) => send({ type: 'failed', id: null, error: toWireError(error) }));
        break;
      case 'probe':
        probe().catch((error: unknown) => send({ type: 'failed', id: null, error: toWireError(error) }));
        break;
      case 'cancel':
        cancelledChats.add(request.id);
        break;
      case 'chat': {
        const model = loaded;
        work = work.then(async () => {
          const ready = await model?.catch(() => null);
          if (ready) await chat(ready, request, () => cancelledChats.has(request.id));
          cancelledChats.delete(request.id);
        });
      }
    }
  });
}

serve();
