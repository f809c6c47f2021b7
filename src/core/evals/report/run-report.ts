import type { ItemRecord } from '../../../protocol/eval.ts';
import type { EvalLine, Outcome } from '../../../protocol/ledger.ts';
import { BinaryMetric, type Reason, type Share } from '../../../protocol/score.ts';
import { countOf } from '../../signals/describe.ts';
import { failureInWords } from '../item-words.ts';
import { modelTitle } from '../model-title.ts';
import { errorKinds, type Kind, reasonKinds } from './error-kinds.ts';
import { type GroupReport, groupReports } from './group-report.ts';
import { type LinkingReport, linkingReport } from './linking-report.ts';
import { type Setting, settingsOf } from './settings.ts';
import { type TimeReport, timeReport } from './time-report.ts';
import { type TurnsReport, turnsReport } from './turns-report.ts';
import type { WhatGoesWrong } from './what-goes-wrong.ts';

/** An item that is not right. */
export interface Failing {
  id: string;
  db_id: string;
  difficulty: string | null;
  question: string;
  evidence: string;
  gold: string;
  sql: string | null;
  outcome: Outcome;
  reason: Reason | null;
  /** In one line, for people. */
  why: string;
}

/** What `report --json` prints of a run. Shares and totals are those of the ledger; the rest comes from the items. */
export interface RunReport {
  run_id: string;
  /** ISO 8601 in UTC. */
  started: string;
  state: EvalLine['state'];
  command: string[];
  model: string;
  dataset: string;
  /** null: the whole dataset. */
  split: string | null;
  settings: Setting[];
  /** What "right" means in this run. */
  metric: BinaryMetric;
  /** `judged`: finished, and the gold runs. */
  items: { chosen: number; done: number; judged: number; gold_failed: number };
  shares: { metric: BinaryMetric; share: Share }[];
  soft_f1: number | null;
  r_ves: number | null;
  official_not_strict: number;
  fragile: EvalLine['summary']['fragile'];
  outcomes: { outcome: Outcome; items: number }[];
  /** Why answers are not equal to their gold in every respect; most frequent first. */
  reasons: Kind[];
  /** What SQLite, the sandbox or the provider said of answers without rows; most frequent first. */
  errors: Kind[];
  tokens: { prompt: number | null; completion: number | null };
  turns: TurnsReport;
  linking: LinkingReport | null;
  time: TimeReport;
  by_database: GroupReport[];
  by_difficulty: GroupReport[];
  /** The errors of the failing items; null where they were not diagnosed. */
  what_goes_wrong: WhatGoesWrong | null;
  /** Items that are not right, in the order of the run. */
  failing: Failing[];
  /** What limits the numbers, a sentence each. */
  notes: string[];
}

/**
 * All that a report says of a run.
 * @param notes what is wrong with the run's files, a sentence each
 * @param wrong what diagnoses of the failing items found; null where there are none
 */
export function reportOf(
  line: EvalLine,
  records: readonly ItemRecord[],
  notes: readonly string[] = [],
  wrong: WhatGoesWrong | null = null,
): RunReport {
  const { config, summary } = line;
  const { metric } = config;
  return {
    run_id: line.run_id,
    started: line.started,
    state: line.state,
    command: line.command,
    model: modelTitle(config.model),
    dataset: config.dataset.name,
    split: config.split?.name ?? null,
    settings: settingsOf(line).filter(({ value }) => value !== null),
    metric,
    items: {
      chosen: summary.items,
      done: summary.done,
      judged: summary.done - summary.outcomes.gold_failed,
      gold_failed: summary.outcomes.gold_failed,
    },
    shares: sharesOf(line),
    soft_f1: summary.soft_f1,
    r_ves: summary.r_ves,
    official_not_strict: summary.official_not_strict,
    fragile: summary.fragile,
    outcomes: outcomesOf(line),
    reasons: reasonKinds(records),
    errors: errorKinds(records),
    tokens: summary.tokens,
    turns: turnsReport(records),
    linking: linkingReport(summary.linking, records),
    time: timeReport(summary, records),
    ...groupReports(records, metric),
    what_goes_wrong: wrong,
    failing: records
      .filter(({ outcome }) => outcome !== 'right' && outcome !== 'gold_failed')
      .map((record) => failingOf(record, metric)),
    notes: [...notes, ...limits(line, records)],
  };
}

function failingOf(record: ItemRecord, metric: BinaryMetric): Failing {
  const { id, db_id, difficulty, question, evidence, gold, sql, outcome, verdict } = record;
  const why = failureInWords(record, metric);
  return { id, db_id, difficulty, question, evidence, gold, sql, outcome, reason: verdict.reason, why };
}

/** The headline metric first. */
function sharesOf({ config, summary }: EvalLine): RunReport['shares'] {
  const others = BinaryMetric.options.filter((metric) => metric !== config.metric);
  return [config.metric, ...others].flatMap((metric) => {
    const share = summary.shares[metric];
    return share === undefined ? [] : [{ metric, share }];
  });
}

function outcomesOf({ summary }: EvalLine): RunReport['outcomes'] {
  const order: Outcome[] = ['right', 'wrong_rows', 'sql_error', 'timeout', 'no_sql', 'provider_error', 'gold_failed'];
  return order.map((outcome) => ({ outcome, items: summary.outcomes[outcome] }));
}

function limits({ state, summary }: EvalLine, records: readonly ItemRecord[]): string[] {
  const notes: string[] = [];
  if (summary.done < summary.items)
    notes.push(
      `${state === 'stopped' ? 'The run was stopped' : 'The run ended'} after ${summary.done} of ${summary.items} items; all numbers are of those.`,
    );
  if (records.length !== summary.done)
    notes.push(
      `The ledger counts ${summary.done} finished items and the run's folder has ${records.length}; tables by database, by difficulty and of errors are of the latter.`,
    );
  if (summary.outcomes.gold_failed > 0)
    notes.push(`${countOf(summary.outcomes.gold_failed, 'item')} whose gold query fails: left out of every share.`);
  return notes;
}
