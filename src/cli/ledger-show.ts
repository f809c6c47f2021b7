import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { outcomeInWords } from '../core/evals/item-words.ts';
import { settingsOf } from '../core/evals/report/settings.ts';
import { count, duration, interval, percents, rate } from '../protocol/figures.ts';
import { type EvalLine, Outcome, type RunSummary } from '../protocol/ledger.ts';
import { BinaryMetric } from '../protocol/score.ts';
import { readableBytes } from '../runtime/model/errors.ts';
import type { Ledger } from '../runtime/store/ledger.ts';
import { EXIT, type ExitCode, type Output } from './verb.ts';

/** A line of a section: what, and its value. */
export type Fact = [name: string, value: string];

function ofAll(part: number, whole: number): string {
  return `${count(part)} of ${count(whole)}${whole === 0 ? '' : ` (${rate({ right: part, of: whole })})`}`;
}

function metricFacts({ shares, soft_f1, r_ves, official_not_strict, fragile }: RunSummary): Fact[] {
  const measured = BinaryMetric.options.flatMap((metric): Fact[] => {
    const share = shares[metric];
    return share
      ? [[metric, `${rate(share)}, interval of 95 % ${interval(share)}; ${share.right} of ${share.of}`]]
      : [];
  });
  if (soft_f1 !== null) measured.push(['soft_f1', percents(soft_f1)]);
  if (r_ves !== null) measured.push(['r_ves', r_ves.toFixed(1)]);
  measured.push(['official, not strict', count(official_not_strict)]);
  if (fragile) measured.push(['fragile passes', ofAll(fragile.differ, fragile.right)]);
  return measured;
}

function workFacts({ tokens, turns, linking, ms, item_ms, done }: RunSummary): Fact[] {
  const facts: Fact[] = [
    ['tokens', `${tokenText(tokens.prompt)} of prompts, ${tokenText(tokens.completion)} of answers`],
    ['turns', count(turns)],
    ['time', `${duration(ms)}${done === 0 ? '' : `; ${duration(item_ms / done)} an item`}`],
  ];
  if (!linking) return facts;
  facts.push(['linking: all tables kept', ofAll(linking.all_kept, linking.items)]);
  facts.push(['linking: needed tables kept', ofAll(linking.needed_kept, linking.needed)]);
  if (linking.items > 0) facts.push(['linking: tables kept', `${(linking.kept / linking.items).toFixed(1)} an item`]);
  return facts;
}

function tokenText(tokens: number | null): string {
  return tokens === null ? 'an unknown number' : count(tokens);
}

function outcomeFacts({ outcomes, done }: RunSummary): Fact[] {
  return Outcome.options.map((outcome) => [outcomeInWords(outcome), ofAll(outcomes[outcome], done)]);
}

/** Prints facts under a title, values below each other. */
export function section(out: Output, title: string, facts: readonly Fact[]): void {
  const width = facts.reduce((widest, [name]) => Math.max(widest, name.length), 0);
  out.line(`\n${title}`);
  for (const [name, value] of facts) out.line(`  ${name.padEnd(width)}  ${value}`);
}

interface RunFileFact {
  path: string;
  /** null: it is not there. */
  bytes: number | null;
}

/** The files of a run: its output, and what lies beside it. */
async function filesOf(folder: string, { output }: EvalLine): Promise<RunFileFact[]> {
  const path = resolve(folder, output.path);
  const names = await readdir(dirname(path), { withFileTypes: true }).catch(() => []);
  const beside = names.filter((entry) => entry.isFile()).map(({ name }) => join(dirname(path), name));
  // Where the output lies in the results folder itself, the files beside it are not of this run.
  const paths = dirname(path) === folder ? [path] : [...new Set([path, ...beside.sort()])];
  return await Promise.all(
    paths.map(async (file) => ({
      path: file,
      bytes: await stat(file).then(
        ({ size }) => size,
        () => null,
      ),
    })),
  );
}

/** `ledger show`: all of a run's record, and where its files are. */
export async function showRun(ledger: Ledger, out: Output, asked: string): Promise<ExitCode> {
  const { line, text } = await ledger.findText(asked);
  const files = await filesOf(ledger.folder, line);
  const { summary } = line;
  out.line(`Run ${line.run_id}: ${line.state}, ${ofAll(summary.done, summary.items)} items`);
  section(out, 'When and how', [
    ['started', line.started],
    ['written', line.time],
    ['command', line.command.join(' ')],
  ]);
  section(
    out,
    'Settings',
    settingsOf(line).map(({ name, value }): Fact => [name, value ?? '–']),
  );
  section(out, 'Metrics', metricFacts(summary));
  section(out, 'Outcomes', outcomeFacts(summary));
  section(out, 'Work', workFacts(summary));
  section(
    out,
    'Files',
    files.map(({ path, bytes }): Fact => [path, bytes === null ? 'is not there' : readableBytes(bytes)]),
  );
  section(out, 'Record', [
    ['output SHA-256', line.output.sha256],
    ['line before', line.prev ?? 'none: it is the first'],
  ]);
  // The line as it stands: a newer version may have added fields.
  out.json({ status: 'ok', run: JSON.parse(text), files });
  return EXIT.ok;
}
