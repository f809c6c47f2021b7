import type { EvalLine } from '../../protocol/ledger.ts';
import { BinaryMetric, type Share } from '../../protocol/score.ts';
import { isErrorShown } from '../evals/error-shown.ts';

/** Columns of a run as a flat row; numbers are plain, shares and rates are from 0 to 1. null: not known or not measured. */
export type FlatRun = Record<string, string | number | null>;

function flag(value: boolean | undefined): number | null {
  return value === undefined ? null : Number(value);
}

function shareColumns(metric: BinaryMetric, share: Share | undefined): FlatRun {
  const rate = share && share.of > 0 ? share.right / share.of : null;
  return {
    [metric]: rate,
    [`${metric}_right`]: share?.right ?? null,
    [`${metric}_of`]: share?.of ?? null,
    [`${metric}_low`]: rate === null ? null : (share?.low ?? null),
    [`${metric}_high`]: rate === null ? null : (share?.high ?? null),
  };
}

function configColumns({ config, git, machine }: EvalLine): FlatRun {
  const { dataset, split, items, model, decoding, prompt, score } = config;
  return {
    dataset: dataset.name,
    dataset_format: dataset.format,
    dataset_sha256: dataset.hash,
    split: split?.name ?? null,
    split_sha256: split?.hash ?? null,
    items_chosen: items.count,
    items_in_dataset: items.of,
    items_sha256: items.hash,
    provider: model.provider,
    model: model.name,
    model_sha256: model.base,
    adapter: model.adapterName ?? null,
    adapter_sha256: model.adapter,
    server: model.server,
    protocol: config.protocol,
    samples: decoding.samples,
    retries: decoding.retries,
    repair: flag(isErrorShown(config)),
    turns_allowed: decoding.turns,
    prompt: prompt.name,
    link: prompt.link,
    query_timeout_ms: config.timeoutMs,
    metric: config.metric,
    metrics: score.metrics.join(' '),
    score_timeout_ms: score.timeoutMs,
    order_policy: score.orderPolicy,
    keep_distinct: flag(score.keepDistinct),
    suite: flag(score.suite),
    commit: git?.commit ?? null,
    commit_dirty: flag(git?.dirty),
    program: machine.program,
    node: machine.node,
    platform: machine.platform,
    cpus: machine.cpus,
  };
}

function summaryColumns({ summary }: EvalLine): FlatRun {
  const { outcomes, shares, fragile, tokens, linking } = summary;
  const shareOf = BinaryMetric.options.map((metric) => shareColumns(metric, shares[metric]));
  return {
    items: summary.items,
    done: summary.done,
    ...Object.fromEntries(Object.entries(outcomes).map(([outcome, count]) => [`outcome_${outcome}`, count])),
    ...Object.assign({}, ...shareOf),
    soft_f1: summary.soft_f1,
    r_ves: summary.r_ves,
    official_not_strict: summary.official_not_strict,
    fragile_tried: fragile?.right ?? null,
    fragile_differ: fragile?.differ ?? null,
    prompt_tokens: tokens.prompt,
    completion_tokens: tokens.completion,
    turns: summary.turns,
    linking_items: linking?.items ?? null,
    linking_all_kept: linking?.all_kept ?? null,
    linking_kept: linking?.kept ?? null,
    linking_needed: linking?.needed ?? null,
    linking_needed_kept: linking?.needed_kept ?? null,
    ms: summary.ms,
    item_ms: summary.item_ms,
  };
}

/** A run as one row of a table: every run has the same columns in the same order. */
export function flatRun(line: EvalLine): FlatRun {
  return {
    run_id: line.run_id,
    time: line.time,
    started: line.started,
    state: line.state,
    ...configColumns(line),
    ...summaryColumns(line),
    output: line.output.path,
    output_sha256: line.output.sha256,
    output_bytes: line.output.bytes,
    command: line.command.join(' '),
  };
}
