import { DEFAULT_RETRIES } from '../../core/agent/one-shot.ts';
import { isErrorShown } from '../../core/evals/error-shown.ts';
import { outcomeInWords } from '../../core/evals/item-words.ts';
import { modelTitle } from '../../core/evals/model-title.ts';
import { codeSpan, inline } from '../../core/evals/report/markdown.ts';
import { countOf } from '../../core/signals/describe.ts';
import { interval, percents, rate } from '../../protocol/figures.ts';
import type { Outcome, RunConfig } from '../../protocol/ledger.ts';
import type { Share } from '../../protocol/score.ts';
import type { RunEntry, RunState } from './entry.ts';

/** How a line of the Runs view looks. */
export interface RunLook {
  label: string;
  description: string;
  /** Name of a codicon (https://microsoft.github.io/vscode-codicons/dist/codicon.html), and of its colour where it has one. */
  icon: string;
  colour: string | null;
  /** What a screen reader says. */
  said: string;
}

const BLOCKS = '▁▂▃▄▅▆▇█';

/** Shares from 0 to 1 as blocks of eight heights between the lowest and the highest of them; '' for fewer than two. */
export function sparkline(shares: readonly number[]): string {
  if (shares.length < 2) return '';
  const [low, high] = [Math.min(...shares), Math.max(...shares)];
  const blockOf = (share: number) => (high === low ? 3 : Math.round(((share - low) / (high - low)) * 7));
  return shares.map((share) => BLOCKS[blockOf(share)]).join('');
}

/** Turns where nobody says another number. */
const USUAL_TURNS = 4;

function retriesInWords(retries: number): string {
  return retries === 0 ? 'no retries' : `${retries} ${retries === 1 ? 'retry' : 'retries'}`;
}

function wayInShort({ protocol, decoding }: RunConfig): string {
  const { retries, turns } = decoding;
  if (protocol === 'turns') return turns === USUAL_TURNS ? '' : countOf(turns, 'turn');
  if (retries === DEFAULT_RETRIES) return '';
  return retriesInWords(retries);
}

/** The settings of a run that are not the usual ones, in short: `linked`, `5 samples`, `no retries`. */
function settingsInShort(config: RunConfig): string[] {
  const { prompt, decoding } = config;
  const samples = decoding.samples > 1 ? countOf(decoding.samples, 'sample') : '';
  return [prompt.link === 'auto' ? '' : prompt.link, wayInShort(config), samples].filter((part) => part !== '');
}

/** A time as `2026-11-29 21:30`, in the user's zone. @param started ISO 8601 */
export function timeInShort(started: string): string {
  const at = new Date(started);
  if (Number.isNaN(at.getTime())) return started;
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** A span until an end, roughly: `under a minute left`, `4 min left`, `2 h 10 min left`. */
export function etaInWords(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return 'under a minute left';
  if (minutes < 60) return `${minutes} min left`;
  const rest = minutes % 60;
  return rest === 0 ? `${minutes / 60} h left` : `${Math.floor(minutes / 60)} h ${rest} min left`;
}

/** A share with its interval: `62.4 % (58.1 to 66.5)`. */
export function shareInShort(share: Share | null): string {
  return share === null || share.of === 0 ? '' : `${rate(share)} (${interval(share)})`;
}

const STATES: Record<RunState, { icon: string; colour: string | null; words: string }> = {
  done: { icon: 'pass', colour: 'testing.iconPassed', words: 'done' },
  stopped: { icon: 'debug-pause', colour: null, words: 'stopped' },
  unfinished: { icon: 'warning', colour: 'list.warningForeground', words: 'unfinished' },
  running: { icon: 'sync~spin', colour: null, words: 'running' },
  elsewhere: { icon: 'sync', colour: null, words: 'running in another process' },
};

function progress({ state, done, total, etaMs }: RunEntry): string {
  if (state === 'done') return done < total ? `${done} of ${total}` : '';
  const left = etaMs === null ? '' : `, ${etaInWords(etaMs)}`;
  return `${state === 'running' ? '' : `${STATES[state].words}, `}${done} of ${total}${left}`;
}

/** The label of a run: model and settings. */
export function runLabel({ config }: RunEntry): string {
  return [modelTitle(config.model), ...settingsInShort(config)].join(' · ');
}

/** How many items a run is over, where that is not the whole of its dataset or split. */
function selection({ config }: RunEntry): string {
  const { count, of } = config.items;
  return count < of && config.split === null ? `${countOf(count, 'item')} of ${of}` : '';
}

/** The look of a run. @param history shares of the runs up to it, oldest first */
export function runLook(run: RunEntry, history: readonly number[]): RunLook {
  const { icon, colour, words } = STATES[run.state];
  const when = timeInShort(run.started);
  const { share } = run;
  const isKnown = share !== null && share.of > 0;
  const line = sparkline(history);
  // What matters most comes first: a narrow view shows no more.
  const parts = [progress(run), isKnown ? `${rate(share)} ${line}`.trim() : '', isKnown ? interval(share) : '', when];
  const said = [runLabel(run), words, progress(run), shareInShort(run.share), selection(run), `begun ${when}`];
  const listed = (texts: readonly string[], between: string) => texts.filter((text) => text !== '').join(between);
  return {
    label: runLabel(run),
    description: listed(parts, ' · '),
    icon,
    colour,
    said: listed(said, ', '),
  };
}

function wayInWords(config: RunConfig): string {
  const { protocol, decoding } = config;
  const { retries, turns, samples } = decoding;
  const shown = isErrorShown(config) ? ', the error shown at the first' : '';
  const way = protocol === 'turns' ? `${turns} turns at most` : `one shot, ${retriesInWords(retries)}${shown}`;
  return samples > 1 ? `${way}, ${countOf(samples, 'sample')}` : way;
}

/** What is known of a run, a name and a value each. */
function factsOf(run: RunEntry): [string, string][] {
  const { config, summary } = run;
  const { dataset, split, items, model, prompt, metric } = config;
  const others = Object.entries(summary?.shares ?? {}).filter(([name]) => name !== metric);
  return [
    ['state', `${STATES[run.state].words}, ${run.done} of ${run.total} items`],
    ['begun', timeInShort(run.started)],
    ['dataset', `${dataset.name}${split === null ? '' : `, split ${split.name}`}, ${items.count} of ${items.of} items`],
    ['model', `${modelTitle(model)} (${model.server ?? model.provider})`],
    ['protocol', wayInWords(config)],
    ['tables', prompt.link],
    ['query limit', `${config.timeoutMs / 1000} s`],
    [metric, shareInShort(run.share)],
    ...others.map(([name, share]): [string, string] => [name, shareInShort(share)]),
    ['official, not strict', summary === null ? '' : String(summary.official_not_strict)],
  ];
}

/** What is told of a run when the pointer rests on it, in Markdown. @param history as of `runLook` */
export function runTooltip(run: RunEntry, history: readonly number[]): string {
  const rows = factsOf(run)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `| ${inline(name)} | ${inline(value)} |`);
  const table = ['| | |', '|---|---|', ...rows].join('\n');
  const shares = history.map((share) => `${percents(share)} %`).join(', ');
  const past = `The last ${history.length} runs over these items, oldest first: ${shares}`;
  const parts = [`**${inline(runLabel(run))}**`, table, history.length < 2 ? '' : past, codeSpan(run.id)];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Outcomes in the order in which they are shown: what went wrong first. */
export const OUTCOME_ORDER: readonly Outcome[] = [
  'wrong_rows',
  'sql_error',
  'timeout',
  'no_sql',
  'provider_error',
  'gold_failed',
  'right',
];

const OUTCOMES: Record<Outcome, { icon: string; colour: string }> = {
  right: { icon: 'pass', colour: 'testing.iconPassed' },
  wrong_rows: { icon: 'error', colour: 'testing.iconFailed' },
  sql_error: { icon: 'bracket-error', colour: 'testing.iconErrored' },
  timeout: { icon: 'watch', colour: 'testing.iconErrored' },
  no_sql: { icon: 'circle-slash', colour: 'testing.iconErrored' },
  provider_error: { icon: 'debug-disconnect', colour: 'testing.iconErrored' },
  gold_failed: { icon: 'circle-outline', colour: 'testing.iconSkipped' },
};

/** The look of the items of one outcome. @param done items finished in all */
export function outcomeLook(outcome: Outcome, count: number, done: number): RunLook {
  const share = done === 0 ? '' : ` · ${((100 * count) / done).toFixed(0)} %`;
  const words = outcomeInWords(outcome);
  const label = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  return {
    label,
    ...OUTCOMES[outcome],
    description: `${count}${share}`,
    said: `${label}, ${countOf(count, 'item')}${share}`,
  };
}
