import type { AskSettings } from '../config.ts';
import type { ModelChoice } from '../models/choice.ts';

/** An evaluation that the command line is to run. Paths are absolute. */
export interface EvalCall {
  dataset: string;
  /** Folder of the databases; null: the usual ones beside the dataset. */
  databases: string | null;
  /** File with the ids of the items, one a line; null: all of them. */
  ids: string | null;
  results: string;
  model: ModelChoice;
  settings: Pick<AskSettings, 'link' | 'turns' | 'samples' | 'timeoutMs'>;
}

/** The words that name a model. */
export function modelWords(model: ModelChoice): string[] {
  switch (model.provider) {
    case 'local':
      return [
        ...['--provider', 'local', '--model', model.name],
        ...(model.adapter === null ? [] : ['--adapter', model.adapter]),
      ];
    case 'openai':
      return ['--provider', 'openai', '--base-url', model.address, '--model', model.name];
    case 'scripted':
      return ['--provider', 'scripted', '--script', model.path];
  }
}

/** The words behind `sql-agent` of an evaluation. A key never stands among them. */
export function evalWords({ dataset, databases, ids, results, model, settings }: EvalCall): string[] {
  return [
    ...['eval', '--jsonl', '--dataset', dataset, '--results', results],
    ...(databases === null ? [] : ['--db-root', databases]),
    ...(ids === null ? [] : ['--ids', ids]),
    ...modelWords(model),
    ...['--link', settings.link, '--turns', String(settings.turns), '--samples', String(settings.samples)],
    ...['--timeout-ms', String(settings.timeoutMs)],
  ];
}

/** Variables by which the command line takes a server or a key that the settings of the editor do not name. */
const NOT_PASSED_ON = ['SQL_AGENT_API_KEY', 'OPENAI_API_KEY', 'OPENAI_BASE_URL', 'SQL_AGENT_RESULTS'];

/** The environment of the command line. @param key of the server that is asked; null: none */
export function evalEnvironment(env: NodeJS.ProcessEnv, storage: string, key: string | null): NodeJS.ProcessEnv {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !NOT_PASSED_ON.includes(name)));
  return {
    ...kept,
    // The extension host's own program is Node under another name.
    ELECTRON_RUN_AS_NODE: '1',
    SQL_AGENT_HOME: storage,
    ...(key === null ? {} : { SQL_AGENT_API_KEY: key }),
  };
}
