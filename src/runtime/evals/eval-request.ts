import type { Provider } from '../../core/ports.ts';
import type { Item } from '../../protocol/dataset.ts';
import type { RunConfig } from '../../protocol/ledger.ts';
import type { Engine } from '../engine.ts';
import type { Ledger } from '../store/ledger.ts';
import type { Dataset } from './load-dataset.ts';

/** What an evaluation works with. */
export interface EvalParts {
  engine: Engine;
  provider: Provider;
  /** Its folder is that of the results. */
  ledger: Ledger;
}

/** One evaluation. */
export interface EvalRequest {
  dataset: Dataset;
  /** The items that are asked, those whose databases are missing left out. */
  items: readonly Item[];
  split: RunConfig['split'];
  /** Absolute paths of an item's databases, the main one first. */
  pathsOf(item: Item): readonly string[];
  /** The folder of databases as it was named; null where none was. */
  databases: string | null;
  /** See `eval-model.ts`. */
  model: RunConfig['model'];
  decoding: RunConfig['decoding'];
  link: RunConfig['prompt']['link'];
  /** Limit of one query of the agent in milliseconds. */
  timeoutMs: number;
  metric: RunConfig['metric'];
  score: RunConfig['score'];
  /** Questions that are asked at the same time. */
  concurrency: number;
  /** The words of the command, without interpreter and script. */
  command: readonly string[];
  /** The working folder: its git commit is recorded. */
  cwd: string;
  /** The run's folder; null: one of its own in the folder of results. */
  out: string | null;
  /** Go on with an earlier run of the same configuration. */
  resume: boolean;
  /** Items that got no answer from the provider count as finished when a run goes on. */
  keepErrors: boolean;
}
