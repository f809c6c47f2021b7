import { resolve } from 'node:path';
import type { Item } from '../protocol/dataset.ts';
import type { EvalEvent } from '../protocol/eval.ts';
import { type Engine, openEngine } from '../runtime/engine.ts';
import { chooseItems } from '../runtime/evals/choose-items.ts';
import { type LocatedDatabases, locateDatabases, type MissingDatabase } from '../runtime/evals/databases.ts';
import type { EvalParts, EvalRequest } from '../runtime/evals/eval-request.ts';
import { type Dataset, loadDataset } from '../runtime/evals/load-dataset.ts';
import { resultsFolder } from '../runtime/evals/results-folder.ts';
import { storageFolder } from '../runtime/paths.ts';
import { Ledger } from '../runtime/store/ledger.ts';
import { providerOf } from './ask-provider.ts';
import { childrenFor, choiceOf, modelOf, settingsOf } from './eval-options.ts';
import { fileOption, UsageError, type VerbArgs, type VerbContext } from './verb.ts';

/** An evaluation that is ready to begin. `dispose` frees model and engine. */
export interface PreparedEval {
  parts: EvalParts;
  request: EvalRequest;
  dispose(): Promise<void>;
}

type Tell = (event: EvalEvent) => void;

function missingNote({ name, items, lookedFor: [first] }: MissingDatabase): string {
  const where = first === undefined ? 'name their folder with --db-root' : `it was looked for at ${first}`;
  return `The database ${name} is missing (${where}): ${items} ${items === 1 ? 'item is' : 'items are'} left out.`;
}

interface Chosen {
  items: Item[];
  split: EvalRequest['split'];
  located: LocatedDatabases;
  databases: string | null;
}

/** The items whose databases are there. What is left out is told. */
async function itemsOf(
  context: VerbContext,
  args: VerbArgs,
  given: { dataset: Dataset; suite: boolean; ledger: Ledger; command: string[] },
  tell: Tell,
): Promise<Chosen> {
  const { dataset, suite, ledger, command } = given;
  const root = fileOption(args, 'db-root');
  const databases = root === undefined ? null : resolve(context.cwd, root);
  const { items, split, notes } = await chooseItems(dataset, await choiceOf(context, args), ledger, command);
  const located = await locateDatabases(items, { dataset, root: databases, suite });
  for (const text of [...notes, ...located.absent.map(missingNote)]) tell({ type: 'note', text });
  return { items: items.filter((item) => located.pathsOf(item).length > 0), split, located, databases };
}

/** What a call of `eval` asks for. @throws UsageError; AppError where dataset, items or model cannot be had */
export async function prepareEval(context: VerbContext, args: VerbArgs, tell: Tell): Promise<PreparedEval> {
  const { env, cwd } = context;
  const path = fileOption(args, 'dataset');
  if (path === undefined) throw new UsageError('eval needs a dataset: --dataset FILE.');
  const storage = storageFolder(env);
  const command = ['sql-agent', ...process.argv.slice(2)];
  const provider = await providerOf(context, args, storage);
  let engine: Engine | null = null;
  const dispose = async () => {
    await Promise.all([provider.dispose(), engine?.dispose()]);
  };
  try {
    const dataset = await loadDataset(resolve(cwd, path));
    const settings = settingsOf(context, args, dataset.format, provider);
    const model = await modelOf(context, args, provider, storage);
    engine = await openEngine({ storage, children: childrenFor(settings.concurrency) });
    const ledger = new Ledger(resultsFolder(fileOption(args, 'results'), env, cwd), engine.store, {
      onNote: (text) => tell({ type: 'note', text }),
    });
    const { suite } = settings.score;
    const { items, split, located, databases } = await itemsOf(
      context,
      args,
      { dataset, suite, ledger, command },
      tell,
    );
    const { pathsOf } = located;
    const request = { dataset, items, split, pathsOf, databases, model, command, cwd, ...settings };
    return { parts: { engine, provider, ledger }, request, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}
