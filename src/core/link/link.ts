import type { Catalog, Linked, LinkMode, ValueScan } from '../../protocol/catalog.ts';
import { type CatalogIndex, type IndexCache, indexCatalog, linkableTables } from './catalog-index.ts';
import { oracleNeedsGold } from './errors.ts';
import { expandScores } from './expand.ts';
import { readQuestion } from './question.ts';
import { readSignals } from './score.ts';
import type { Signals } from './signals.ts';
import { valueSignals } from './values.ts';
import { JOIN_WEIGHTS, PRESETS, type Preset, SIGNAL_WEIGHTS } from './weights.ts';

/** Mode `auto` shows a schema whole up to this many tables, or up to this many tokens of its prompt. */
const FULL_TABLES = 12;
const FULL_TOKENS = 1000;

/** `recall` keeps what might be needed; `tight` keeps fewer tables and loses a few needed ones. */
export type PresetName = keyof typeof PRESETS;

export interface LinkInput {
  catalog: Catalog;
  /** The cell values found in the database; null where there are none to look at. */
  scan: ValueScan | null;
  question: string;
  /** Hint text, '' where there is none. */
  evidence: string;
  mode: LinkMode;
  /** Tables of the gold query, for mode `oracle` only; in any case of letters. */
  goldTables: readonly string[] | null;
  /** Tokens of the prompt that shows the whole schema, for mode `auto`. */
  fullTokens: number;
  /** Default `recall`. */
  preset?: PresetName;
  /** Spares reading the names of the catalog for every question; without it that is done each time. */
  indexes?: IndexCache;
  /** False leaves the foreign-key hop out, to measure what it brings. Default true. */
  hop?: boolean;
}

/**
 * Chooses the tables of a catalog that a question needs. Only tables that a prompt can show take part: kept and left
 * together are these, in schema order. The mode of the result is the one that was applied.
 * @throws AppError `oracle_needs_gold` for mode `oracle` without gold tables
 */
export function linkSchema(input: LinkInput): Linked {
  const { catalog, goldTables } = input;
  const names = linkableTables(catalog).map(({ name }) => name);
  const mode = appliedMode(input, names.length);
  if (mode === 'full') return { mode, kept: names, left: [], scores: {} };
  if (mode === 'oracle') {
    if (goldTables === null) throw oracleNeedsGold();
    const wanted = new Set(goldTables.map((name) => name.toLowerCase()));
    return divided(mode, names, (_, at) => wanted.has(names[at]?.toLowerCase() ?? ''), {});
  }
  const index = input.indexes?.of(catalog) ?? indexCatalog(catalog);
  const scores = scoreTables(index, input);
  const kept = new Set(chooseTables(index, scores, PRESETS[input.preset ?? 'recall']));
  const rounded = names.map((name, at) => [name, Math.round((scores[at] ?? 0) * 1000) / 1000]);
  return divided(mode, names, (_, at) => kept.has(at), Object.fromEntries(rounded));
}

function appliedMode({ mode, fullTokens }: LinkInput, tables: number): Exclude<LinkMode, 'auto'> {
  if (mode !== 'auto') return mode;
  return tables <= FULL_TABLES || fullTokens <= FULL_TOKENS ? 'full' : 'linked';
}

function divided(
  mode: LinkMode,
  names: string[],
  isKept: (name: string, at: number) => boolean,
  scores: Record<string, number>,
): Linked {
  return { mode, kept: names.filter(isKept), left: names.filter((name, at) => !isKept(name, at)), scores };
}

/** The score of each table of the index: what the question says of it, and what its neighbours add. */
function scoreTables(index: CatalogIndex, { scan, question, evidence, hop }: LinkInput): number[] {
  const values = scan === null ? new Map<string, number>() : valueSignals(scan, `${question} ${evidence}`);
  const own = readSignals(index, readQuestion(question, evidence), values).map(weigh);
  return hop === false ? own : expandScores(index.tables, own, JOIN_WEIGHTS);
}

function weigh(signals: Signals): number {
  let score = 0;
  for (const key of SIGNAL_KEYS) score += signals[key] * SIGNAL_WEIGHTS[key];
  return score;
}

const SIGNAL_KEYS = Object.keys(SIGNAL_WEIGHTS) as (keyof Signals)[];

/** Positions of the tables to keep: those near the best, padded to a minimum and cut at a maximum. */
function chooseTables(index: CatalogIndex, scores: readonly number[], preset: Preset): number[] {
  const joins = (at: number) => index.tables[at]?.joins.length ?? 0;
  const order = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || joins(b) - joins(a) || a - b);
  const least = (scores[order[0] ?? 0] ?? 0) * preset.share;
  return order.filter((at, rank) => rank < preset.minimum || (rank < preset.maximum && (scores[at] ?? 0) > least));
}
