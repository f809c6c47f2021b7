import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChatRequest } from '../../src/core/ports.ts';
import { type Lines1Prompt, renderLines1 } from '../../src/core/schema/lines1.ts';
import type { Catalog, ValueScan } from '../../src/protocol/catalog.ts';
import type { QueryStatus } from '../../src/protocol/query.ts';
import { readCatalog } from '../../src/runtime/catalog.ts';
import { createLocalProvider, type LocalProvider } from '../../src/runtime/model/local-provider.ts';
import { type LocalModelName, readModelEntry } from '../../src/runtime/model/manifest.ts';
import { storageFolder } from '../../src/runtime/paths.ts';
import { SandboxPool } from '../../src/runtime/sandbox/pool.ts';
import { scanValues } from '../../src/runtime/store/values.ts';

export const shared = fileURLToPath(new URL('../../../shared', import.meta.url));
export const databases = join(shared, 'data/spider/database');

export interface Item {
  db_id: string;
  question: string;
}

/** One sample of a model and what its query did. */
export interface Sample {
  temperature: number;
  seed: number | null;
  sql: string;
  status: QueryStatus;
  rows: number;
  ms: number;
}

/** The samples of one item in the order of the `one_shot` protocol, greedy first. */
export interface Answer {
  key: string;
  db_id: string;
  question: string;
  samples: Sample[];
}

/** Greedy, then the retries of the protocol `one_shot`. */
const TRIES: Pick<ChatRequest, 'temperature' | 'seed'>[] = [
  { temperature: 0, seed: null },
  ...[1, 2, 3].map((seed) => ({ temperature: 0.7, seed })),
];

/** The sample that `one_shot` answers with: the first that runs and has rows, else the first that runs, else the first. */
export function chosen(samples: readonly Sample[]): Sample | undefined {
  const running = samples.filter(({ status }) => status === 'ok');
  return running.find(({ rows }) => rows > 0) ?? running[0] ?? samples[0];
}

/** Answers items with a local model, full schema, and keeps each answer on disk, so that a run goes on where it ended. */
export class Answers {
  readonly sandbox = new SandboxPool({ children: 1 });
  readonly #model: LocalModelName;
  readonly #file: string;
  readonly #kept = new Map<string, Answer>();
  readonly #schemas = new Map<string, { catalog: Catalog; scan: ValueScan }>();
  readonly #provider: LocalProvider;

  constructor(model: LocalModelName) {
    this.#model = model;
    this.#file = fileURLToPath(new URL(`../../.cache/ex-${model}.jsonl`, import.meta.url));
    if (existsSync(this.#file))
      for (const line of readFileSync(this.#file, 'utf8').split('\n').filter(Boolean)) {
        const answer: Answer = JSON.parse(line);
        this.#kept.set(answer.key, answer);
      }
    this.#provider = createLocalProvider({ name: model, storage: storageFolder() });
  }

  async #prompt({ db_id, question }: Item): Promise<Lines1Prompt> {
    const db = join(databases, db_id, `${db_id}.sqlite`);
    const known = this.#schemas.get(db_id);
    const catalog = known?.catalog ?? (await readCatalog(this.sandbox, db));
    const scan = known?.scan ?? (await scanValues({ sandbox: this.sandbox, store: null, db, catalog, budgetMs: null }));
    this.#schemas.set(db_id, { catalog, scan });
    return renderLines1({ catalog, scan, tables: null, question, evidence: '' });
  }

  async #sample(item: Item, prompt: Lines1Prompt, sampling: (typeof TRIES)[number]): Promise<Sample> {
    const started = performance.now();
    const reply = await this.#provider.chat(
      {
        messages: [
          { role: 'system', content: prompt.system },
          { role: 'user', content: prompt.user },
        ],
        stablePrefix: prompt.stablePrefix,
        prefixKey: item.db_id,
        maxTokens: 400,
        ...sampling,
      },
      {},
    );
    const ms = performance.now() - started;
    const db = join(databases, item.db_id, `${item.db_id}.sqlite`);
    const { status, rows } = await this.sandbox.query({ db, sql: reply.text, timeoutMs: 30_000 });
    return { ...sampling, sql: reply.text, status, rows: rows.length, ms };
  }

  /** The samples of an item: greedy alone where its query has rows, else with retries until one has. */
  async answer(item: Item): Promise<Answer> {
    const prompt = await this.#prompt(item);
    const { base, adapter } = readModelEntry(this.#model);
    const key = createHash('sha256')
      .update(`${base.sha256} ${adapter.sha256} ${prompt.system}\n${prompt.user}`)
      .digest('hex');
    const known = this.#kept.get(key);
    if (known) return known;
    const samples: Sample[] = [];
    for (const sampling of TRIES) {
      const sample = await this.#sample(item, prompt, sampling);
      samples.push(sample);
      if (sample.status === 'ok' && sample.rows > 0) break;
    }
    const answer = { key, db_id: item.db_id, question: item.question, samples };
    mkdirSync(dirname(this.#file), { recursive: true });
    appendFileSync(this.#file, `${JSON.stringify(answer)}\n`);
    this.#kept.set(key, answer);
    return answer;
  }

  async dispose(): Promise<void> {
    await this.#provider.dispose();
    await this.sandbox.dispose();
  }
}
