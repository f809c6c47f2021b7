import { availableParallelism, cpus, freemem } from 'node:os';
import {
  getLlama,
  getModuleVersion,
  InsufficientMemoryError,
  type Llama,
  type LlamaContext,
  type LlamaContextSequence,
  LlamaLogLevel,
  type LlamaModel,
  type Token,
} from 'node-llama-cpp';
import type { EngineInfo, ModelLoad } from '../../protocol/model-channel.ts';
import { adapterNotTaken, engineMissing, loadFailed, promptTooLong } from './errors.ts';
import { type MachineTime, ThreadGovernor } from './thread-governor.ts';

/** Contexts are made for this many tokens first and doubled when a prompt needs more: memory is taken for what is used. */
const FIRST_CONTEXT = 4096;
/** Share of the free memory that the state of a context may take. */
const MEMORY_SHARE = 0.5;
/** Tokens that must be left for an answer. */
const ANSWER_RESERVE = 64;
const GPU_CHUNK = 512;

/** Other processes are looked at this often at most, in milliseconds. */
const LOOK_MS = 200;

/** Times since some start: of a clock, of this process, and of all processors. */
function machineTime(): MachineTime {
  const { user, system } = process.cpuUsage();
  const busyMs = cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
  return { wallMs: performance.now(), cpuMs: (user + system) / 1000, busyMs };
}

async function openLlama(log: (line: string) => void): Promise<Llama> {
  try {
    return await getLlama({
      build: 'never',
      skipDownload: true,
      gpu: 'auto',
      progressLogs: false,
      logLevel: LlamaLogLevel.warn,
      logger: (_level, message) => log(message.trimEnd()),
      maxThreads: 0,
    });
  } catch (error) {
    throw engineMissing(error);
  }
}

/** What the engine is on this machine. @throws AppError `provider_engine_missing`. */
export async function engineInfo(log: (line: string) => void): Promise<EngineInfo> {
  const llama = await openLlama(log);
  return {
    version: await getModuleVersion(),
    gpu: llama.gpu === false ? null : llama.gpu,
    gpuNames: await llama.getGpuDeviceNames(),
    cpuCores: llama.cpuMathCores,
  };
}

/** A model with its adapter, and one context that holds the state of the last prompt. */
export class LlamaEngine {
  readonly #load: ModelLoad;
  readonly #llama: Llama;
  readonly model: LlamaModel;
  readonly threads: number;
  #context: LlamaContext | null = null;
  #sequence: LlamaContextSequence | null = null;
  readonly #governor: ThreadGovernor;
  #looked: MachineTime;

  private constructor(load: ModelLoad, llama: Llama, model: LlamaModel, looked: MachineTime) {
    this.#load = load;
    this.#llama = llama;
    this.model = model;
    this.threads = Math.max(1, Math.min(llama.cpuMathCores, availableParallelism()));
    this.#governor = new ThreadGovernor(this.threads, cpus().length || Number.POSITIVE_INFINITY);
    this.#looked = looked;
  }

  /** @throws AppError `provider_engine_missing`, `provider_load_failed`. */
  static async open(load: ModelLoad, log: (line: string) => void): Promise<LlamaEngine> {
    const looked = machineTime();
    const llama = await openLlama(log);
    const gpuLayers = llama.gpu === false ? { gpuLayers: 0 } : {};
    const model = await llama.loadModel({ modelPath: load.base, ...gpuLayers }).catch((error: unknown) => {
      throw loadFailed(load.name, error);
    });
    const engine = new LlamaEngine(load, llama, model, looked);
    await engine.#makeContext(Math.min(FIRST_CONTEXT, engine.#longest())).catch((error: unknown) => {
      if (error instanceof InsufficientMemoryError) throw loadFailed(load.name, 'not enough memory');
      throw adapterNotTaken(load.name, load.adapter, error);
    });
    return engine;
  }

  /** The GPU interface in use, null on the CPU. */
  get gpu(): string | null {
    return this.#llama.gpu === false ? null : this.#llama.gpu;
  }

  /** Tokens of a prompt to evaluate in one step: small on a CPU, so that a cancellation is seen soon. */
  get chunkTokens(): number {
    return this.gpu === null ? this.#load.chunkTokens : GPU_CHUNK;
  }

  /** Names what a saved state depends on beside the weights: the engine's version and how it lays out its cache. */
  async description(): Promise<string> {
    const flash = this.#context?.flashAttention ?? 'auto';
    return `node-llama-cpp ${await getModuleVersion()} ${this.gpu ?? 'cpu'} flash ${flash}`;
  }

  /** Most tokens that a context may hold on this machine now. */
  #longest(): number {
    const most = Math.min(this.#load.contextTokens, this.model.trainContextSize);
    if (this.gpu !== null) return most;
    const held = this.#context?.contextSize ?? 0;
    const byMemory = held + Math.floor((freemem() * MEMORY_SHARE) / this.#load.stateBytesPerToken);
    return Math.max(Math.min(most, FIRST_CONTEXT), Math.min(most, byMemory));
  }

  async #makeContext(contextSize: number): Promise<LlamaContextSequence> {
    const old = this.#context;
    this.#context = null;
    this.#sequence = null;
    await old?.dispose();
    this.#context = await this.model.createContext({
      contextSize,
      batchSize: Math.max(64, this.chunkTokens),
      threads: this.threads,
      sequences: 1,
      lora: this.#load.adapter,
    });
    this.#sequence = this.#context.getSequence();
    return this.#sequence;
  }

  /**
   * The sequence to evaluate in, with room for a prompt and, as far as it can be had, its answer.
   * @throws AppError `prompt_too_long`, `provider_load_failed` where memory is short.
   */
  async sequenceFor(promptTokens: number, answerTokens: number): Promise<LlamaContextSequence> {
    const has = this.#context?.contextSize ?? 0;
    if (this.#sequence && promptTokens + answerTokens <= has) return this.#sequence;
    const longest = Math.max(has, this.#longest());
    if (promptTokens + Math.min(ANSWER_RESERVE, answerTokens) > longest)
      throw promptTooLong(this.#load.name, promptTokens, longest);
    let size = Math.max(has, FIRST_CONTEXT);
    while (size < promptTokens + answerTokens) size *= 2;
    size = Math.min(size, longest);
    if (this.#sequence && size === has) return this.#sequence;
    try {
      return await this.#makeContext(size);
    } catch (error) {
      throw loadFailed(this.#load.name, error instanceof InsufficientMemoryError ? 'not enough memory' : error);
    }
  }

  #look(): void {
    if (performance.now() - this.#looked.wallMs < LOOK_MS) return;
    const now = machineTime();
    const { wallMs, cpuMs, busyMs } = this.#looked;
    this.#governor.observeMachine({
      wallMs: now.wallMs - wallMs,
      cpuMs: now.cpuMs - cpuMs,
      busyMs: now.busyMs - busyMs,
    });
    this.#looked = now;
  }

  /** Runs one step of evaluation with as many threads as the machine has time for. */
  async step<T>(work: () => Promise<T>): Promise<T> {
    if (this.gpu !== null) return work();
    this.#look();
    this.#llama.maxThreads = this.#governor.threads;
    const cpu = process.cpuUsage();
    const started = performance.now();
    const result = await work();
    const now = performance.now();
    const { user, system } = process.cpuUsage(cpu);
    this.#governor.observeStep({ wallMs: now - started, cpuMs: (user + system) / 1000 }, now);
    return result;
  }

  /** What `iterator` yields, each value being one step. */
  async *stepwise<T>(iterator: AsyncGenerator<T, void>): AsyncGenerator<T> {
    try {
      for (;;) {
        const { value, done } = await this.step(() => iterator.next());
        if (done) return;
        yield value;
      }
    } finally {
      await iterator.return();
    }
  }

  /** Plain function over the model's tokenizer. */
  readonly tokenize = (text: string, special: boolean): Token[] => this.model.tokenize(text, special);
}
