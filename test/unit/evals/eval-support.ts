import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EvalEvent, type ItemRecord, type RunFile } from '../../../src/protocol/eval.ts';
import { type EvalLine, LedgerLine } from '../../../src/protocol/ledger.ts';
import type { Script } from '../../../src/runtime/model/scripted-provider.ts';
import { type CliOptions, type CliResult, sqlAgent } from '../../support/cli.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';

/** A question of a dataset with what the scripted model replies. */
export interface TestItem {
  id: string;
  question: string;
  gold: string;
  reply?: NonNullable<Script['byQuestion']>[string];
  db_id?: string;
}

const SCHEMA = `CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, country TEXT, age INTEGER);
CREATE TABLE concert (id INTEGER PRIMARY KEY, singer_id INTEGER REFERENCES singer(id), year INTEGER);
INSERT INTO singer VALUES (1, 'Ann', 'France', 31), (2, 'Bo', 'France', 25), (3, 'Cy', 'Peru', 40);
INSERT INTO concert VALUES (1, 1, 2014), (2, 1, 2015), (3, 2, 2014);`;

/** Items that the scripted model answers rightly, each with a question of its own. */
export function countingItems(count: number): TestItem[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `q${index}`,
    question: `How many singers are older than ${index} years?`,
    gold: `SELECT count(*) FROM singer WHERE age > ${index}`,
    reply: `SELECT count(*) FROM singer WHERE age >= ${index + 1}`,
  }));
}

/** A folder with a database, datasets, scripts and results, and `sql-agent eval` over them. */
export class EvalWorld {
  readonly folder: TemporaryFolder = temporaryFolder();
  readonly #words: string[] = [];

  constructor() {
    this.folder.database('concerts.sqlite', SCHEMA);
  }

  get results(): string {
    return join(this.folder.path, 'results');
  }

  get out(): string {
    return join(this.folder.path, 'run');
  }

  /** Writes dataset and script; later calls of `eval` are about them. */
  use(items: readonly TestItem[], script: Partial<Script> = {}): void {
    const lines = items.map(({ id, question, gold, db_id = 'concerts' }) =>
      JSON.stringify({ id, database: `${db_id}.sqlite`, question, sql: gold }),
    );
    const dataset = this.write('test.sql-tests.jsonl', `${lines.join('\n')}\n`);
    const replies = items.flatMap(({ question, reply }) => (reply === undefined ? [] : [[question, reply] as const]));
    const given = { protocol: 'one_shot', name: 'demo', byQuestion: Object.fromEntries(replies), ...script };
    const path = this.write('script.json', JSON.stringify(given));
    this.#words.splice(0, this.#words.length, '--dataset', dataset, '--script', path);
  }

  write(name: string, text: string): string {
    const path = join(this.folder.path, name);
    writeFileSync(path, text);
    return path;
  }

  /** The words of `sql-agent` for the dataset in use. */
  words(...more: string[]): string[] {
    return ['eval', ...this.#words, '--results', this.results, ...more];
  }

  get env(): Record<string, string> {
    return { SQL_AGENT_HOME: join(this.folder.path, 'home') };
  }

  /** Runs `sql-agent eval` over the dataset in use. */
  eval(words: string[] = [], options: CliOptions = {}): Promise<CliResult> {
    return sqlAgent(this.words(...words), { cwd: this.folder.path, ...options, env: { ...this.env, ...options.env } });
  }

  /** The lines of a run's items as they stand in the file. */
  lines(folder = this.out): string[] {
    return readFileSync(join(folder, 'items.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  }

  records(folder = this.out): ItemRecord[] {
    return this.lines(folder).map((line) => JSON.parse(line));
  }

  runFile(folder = this.out): RunFile {
    return JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
  }

  ledger(): EvalLine[] {
    const lines = readFileSync(join(this.results, 'ledger.jsonl'), 'utf8').trimEnd().split('\n');
    return lines.map((line) => LedgerLine.parse(JSON.parse(line))).filter((line) => line.kind === 'eval');
  }

  remove(): void {
    this.folder.remove();
  }
}

/** The events that `--jsonl` printed. */
export function eventsOf(stdout: string): EvalEvent[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => EvalEvent.parse(JSON.parse(line)));
}

/** Calls `then` when so many events of a type came, as the child prints them. */
export function onceEvents(type: EvalEvent['type'], count: number, then: () => void): (text: string) => void {
  let buffered = '';
  let seen = 0;
  return (text) => {
    buffered += text;
    for (let end = buffered.indexOf('\n'); end >= 0; end = buffered.indexOf('\n')) {
      const event: EvalEvent = JSON.parse(buffered.slice(0, end));
      buffered = buffered.slice(end + 1);
      if (event.type !== type) continue;
      seen += 1;
      if (seen === count) then();
    }
  };
}
