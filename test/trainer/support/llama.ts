import { getLlama, type Llama, LlamaLogLevel, type LlamaModel, type Token } from 'node-llama-cpp';

/** A token of an answer, and the likeliest tokens at its place, itself first. */
export interface GreedyStep {
  token: number;
  candidates: { token: number; logProb: number }[];
}

export interface GreedyAnswer {
  steps: GreedyStep[];
}

/** A model in llama.cpp, alone or with an adapter, for greedy answers. */
export interface LlamaAnswers {
  model: LlamaModel;
  /** The most likely tokens one after the other, behind `prompt`. */
  answer(prompt: readonly number[], count: number): Promise<number[]>;
  /** The same with the likeliest tokens at each place, which takes longer. */
  greedy(prompt: readonly number[], count: number): Promise<GreedyAnswer>;
  close(): Promise<void>;
}

const CANDIDATES = 4;

/** llama.cpp on one thread: several wait actively for each other where processors are scarce. */
export function openLlama(): Promise<Llama> {
  return getLlama({
    build: 'never',
    skipDownload: true,
    gpu: false,
    maxThreads: 1,
    progressLogs: false,
    logLevel: LlamaLogLevel.error,
  });
}

/** @param adapter a GGUF adapter @throws Error where llama.cpp does not take the files */
export async function loadLlama(llama: Llama, modelPath: string, adapter?: string): Promise<LlamaAnswers> {
  const model = await llama.loadModel({ modelPath, gpuLayers: 0 });
  const context = await model.createContext({
    contextSize: 512,
    sequences: 1,
    threads: 1,
    ...(adapter === undefined ? {} : { lora: adapter }),
  });
  const sequence = context.getSequence();
  /** Goes back to where the prompt begins to be another one. @returns what is left of it */
  const rest = async (prompt: readonly number[]): Promise<Token[]> => {
    const tokens = [...prompt] as Token[];
    // Without shifting what it knows to other places, which is not exact.
    await sequence.adaptStateToTokens(tokens.slice(0, -1), false);
    return tokens.slice(sequence.nextTokenIndex);
  };
  return {
    model,
    answer: async (prompt, count) => {
      const tokens: number[] = [];
      for await (const token of sequence.evaluate(await rest(prompt), { temperature: 0 })) {
        tokens.push(token);
        if (tokens.length === count) break;
      }
      return tokens;
    },
    greedy: async (prompt, count) => {
      const steps: GreedyStep[] = [];
      const answer = sequence.evaluateWithMetadata(await rest(prompt), { probabilities: true }, { temperature: 0 });
      for await (const { token, probabilities } of answer) {
        const likeliest = [...probabilities].slice(0, CANDIDATES);
        steps.push({
          token,
          candidates: likeliest.map(([other, probability]) => ({ token: other, logProb: Math.log(probability) })),
        });
        if (steps.length === count) break;
      }
      return { steps };
    },
    close: () => model.dispose(),
  };
}

/** The tokens of an answer. */
export function tokensOf({ steps }: GreedyAnswer): number[] {
  return steps.map(({ token }) => token);
}
