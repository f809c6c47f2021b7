import { relative } from 'node:path';
import { countOf } from '../core/signals/describe.ts';
import { count, duration, interval, percents, rate } from '../protocol/figures.ts';
import type { RunConfig, RunSummary } from '../protocol/ledger.ts';
import { BinaryMetric } from '../protocol/score.ts';
import type { EvalResult } from '../runtime/evals/run-eval.ts';
import { outcomesInWords } from './eval-progress.ts';

const NAME_WIDTH = 12;

function row(name: string, text: string): string {
  return `  ${name.padEnd(NAME_WIDTH)} ${text}`;
}

function metricLines({ shares, soft_f1, r_ves }: RunSummary, metric: BinaryMetric): string[] {
  const binary = BinaryMetric.options.flatMap((name) => {
    const share = shares[name];
    const headline = name === metric ? '  (what "right" means in this run)' : '';
    return share === undefined
      ? []
      : [row(name, `${rate(share)}  ${interval(share)}  ${share.right} of ${share.of}${headline}`)];
  });
  return [
    ...binary,
    ...(soft_f1 === null ? [] : [row('soft_f1', percents(soft_f1))]),
    ...(r_ves === null ? [] : [row('r_ves', r_ves.toFixed(1))]),
  ];
}

function linkingLines({ linking }: RunSummary): string[] {
  if (linking === null) return [];
  const { items, all_kept, kept, needed, needed_kept } = linking;
  const all = `${percents(all_kept / items)} %`;
  const tables = (kept / items).toFixed(1);
  return [
    row(
      'Linking',
      `${all} of prompts hold every table needed (${needed_kept} of ${needed} tables), ${tables} tables kept on average`,
    ),
  ];
}

function tokenLines({ tokens: { prompt, completion }, done }: RunSummary): string[] {
  if (prompt === null && completion === null) return [];
  const told = (total: number | null) => (total === null ? 'unknown' : count(total));
  const each = prompt === null || done === 0 ? '' : ` (${count(Math.round(prompt / done))} of prompt an item)`;
  return [row('Tokens', `${told(prompt)} of prompt, ${told(completion)} of reply${each}`)];
}

function fragileLines({ fragile }: RunSummary): string[] {
  if (fragile === null) return [];
  return [
    row(
      'Fragile',
      `${fragile.differ} of ${fragile.right} right answers stop agreeing on changed copies of their database`,
    ),
  ];
}

/** Items whose model failed are wrong in all shares, which says nothing of the model. */
function unansweredLines({ outcomes }: RunSummary): string[] {
  const failed = outcomes.provider_error;
  if (failed === 0) return [];
  return [row('No reply', `to ${countOf(failed, 'item')}, counted as wrong; the report says why, --resume asks again`)];
}

/**
 * The numbers of a run for people.
 *
 * @param cwd the working folder: paths are told from there
 */
export function summaryLines({ summary, state, run_id, folder }: EvalResult, config: RunConfig, cwd: string): string[] {
  const { items, done, official_not_strict, ms, item_ms, turns } = summary;
  const how = state === 'done' ? countOf(done, 'item') : `stopped after ${done} of ${countOf(items, 'item')}`;
  const path = relative(cwd, folder);
  const shown = path.startsWith('..') ? folder : path;
  const each = done === 0 ? '' : `, ${duration(item_ms / done)} and ${(turns / done).toFixed(2)} replies an item`;
  return [
    `${run_id}: ${how}`,
    '',
    ...metricLines(summary, config.metric),
    row('Outcomes', outcomesInWords(summary.outcomes)),
    ...unansweredLines(summary),
    row('Luck', `${official_not_strict} pass official_ex and fail strict_ex (duplicates or order credited anyway)`),
    ...fragileLines(summary),
    ...linkingLines(summary),
    ...tokenLines(summary),
    row('Time', `${duration(ms)}${each}`),
    row('Files', shown),
  ];
}

/** What one may want to do next. @param rest options that name the folder of results, as typed */
export function nextLines({ state, run_id }: EvalResult, rest: string): string[] {
  if (state === 'stopped') return ['', 'Go on with the same command and --resume.'];
  return ['', 'Next:', `  sql-agent report ${run_id}${rest}`, `  sql-agent compare ANOTHER_RUN ${run_id}${rest}`];
}
