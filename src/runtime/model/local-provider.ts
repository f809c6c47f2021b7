import { rm } from 'node:fs/promises';
import type { CancelSignal, ChatProgress, ChatReply, ChatRequest, Provider } from '../../core/ports.ts';
import { estimateTokens } from '../../core/schema/lines1.ts';
import { AppError } from '../../protocol/errors.ts';
import type { ModelEvent, ModelLoad } from '../../protocol/model-channel.ts';
import { childEntry } from '../paths.ts';
import { adapterTitle } from './adapter-file.ts';
import { type LocalModelName, readModelEntry } from './manifest.ts';
import { readyModelFiles, statesFolder } from './model-files.ts';
import { type ModelAnswer, ModelProcess, type Schedule } from './model-process.ts';
import { estimateAnswer, estimateStart, learnSpeed, readSpeed, type Speed, writeSpeed } from './speed.ts';

export interface LocalProviderOptions {
  name: LocalModelName;
  /** The user's storage folder. */
  storage: string;
  /** Folder of the bundled models. Default: the program's own. */
  folder?: string;
  /** Absolute path of a LoRA adapter (GGUF) for the same base in place of the model's own. */
  adapter?: string;
  /** That adapter was trained on repairs. */
  repairs?: boolean;
  /** The model's process is ended after so many milliseconds without a question. Default: ten minutes. */
  idleMs?: number;
  /** Timers; for tests. */
  schedule?: Schedule;
}

/** A provider over a local model; `pid` is the process that holds it, null while none does. */
export interface LocalProvider extends Provider {
  readonly pid: number | null;
}

const IDLE_MS = 10 * 60_000;
const STATES_BYTES = 512 * 1024 * 1024;

function abortSignal(signal: CancelSignal | undefined): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return { signal: controller.signal, release: () => signal?.removeEventListener('abort', abort) };
}

/**
 * A model on this machine, in a process of its own that the first chat starts.
 *
 * `chat` throws AppError: `cancelled`; `prompt_too_long`; `provider_crashed`, `provider_failed`, `provider_load_failed`,
 * `provider_engine_missing`; and the errors of `readyModelFiles`.
 */
export function createLocalProvider(options: LocalProviderOptions): LocalProvider {
  const { name, storage } = options;
  const entry = readModelEntry(name, options.folder);
  const states = statesFolder(storage, name);
  const loadingSteps = new Set<(text: string) => void>();

  async function prepare(cancel?: CancelSignal): Promise<ModelLoad> {
    const { signal, release } = abortSignal(cancel);
    const onStep = (text: string) => {
      for (const tell of loadingSteps) tell(text);
    };
    const { folder, adapter } = options;
    const files = await readyModelFiles(name, storage, { folder, adapter, signal, onStep }).finally(release);
    const { contextTokens, stateBytesPerToken, chunkTokens } = files.entry;
    return {
      type: 'load',
      name,
      base: files.base,
      adapter: files.adapter,
      weights: files.weights,
      contextTokens,
      stateBytesPerToken,
      chunkTokens,
      states: { folder: states, maxBytes: STATES_BYTES },
    };
  }

  const model = new ModelProcess({
    name,
    program: childEntry('model-child'),
    prepare,
    idleMs: options.idleMs ?? IDLE_MS,
    ...(options.schedule ? { schedule: options.schedule } : {}),
  });

  async function ask(request: ChatRequest, progress: ChatProgress, speed: Speed, signal?: CancelSignal) {
    let loadMs: number | null = null;
    const onEvent = (event: ModelEvent) => {
      if (event.type === 'loaded') loadMs = event.ms;
      if (event.type === 'reading') progress.onPhase?.('prompting', estimateAnswer(speed, event.readTokens));
      if (event.type === 'writing') progress.onPhase?.('generating', null);
      if (event.type === 'text') progress.onToken?.(event.text);
    };
    const { messages, stablePrefix, temperature, seed, maxTokens } = request;
    const question = { messages, stablePrefix, keepState: request.prefixKey !== null, temperature, seed, maxTokens };
    const answer: ModelAnswer = await model.chat(question, onEvent, signal);
    await writeSpeed(storage, name, learnSpeed(speed, answer.timings, loadMs));
    return answer;
  }

  async function chat(request: ChatRequest, progress: ChatProgress, signal?: CancelSignal): Promise<ChatReply> {
    const speed = await readSpeed(storage, name, entry);
    const tellStep = (text: string) => progress.onPhase?.('loading', text);
    loadingSteps.add(tellStep);
    if (!model.loaded) {
      const tokens = request.messages.reduce((sum, { content }) => sum + estimateTokens(content), 0);
      progress.onPhase?.('loading', estimateStart(speed, entry.base.bytes, tokens));
    }
    try {
      const { text, finish, timings } = await ask(request, progress, speed, signal);
      return { text, finish, promptTokens: timings.promptTokens, completionTokens: timings.writtenTokens };
    } catch (error) {
      // A saved state may have been what the engine died of.
      if (error instanceof AppError && error.code === 'provider_crashed')
        await rm(states, { recursive: true, force: true });
      throw error;
    } finally {
      loadingSteps.delete(tellStep);
    }
  }

  // What was measured, and what is known of its training, is that of the model's own adapter.
  const { adapter } = options;
  const [title, accuracy, repairs] =
    adapter === undefined
      ? [name, entry.accuracy, entry.repairs]
      : [`${name} with ${adapterTitle(adapter)}`, null, options.repairs];

  return {
    protocol: 'one_shot',
    model: { provider: 'local', name: title, accuracy },
    repairs: repairs === true,
    get pid() {
      return model.pid;
    },
    warm: (signal) => model.warm(signal),
    chat,
    dispose: () => model.dispose(),
  };
}
