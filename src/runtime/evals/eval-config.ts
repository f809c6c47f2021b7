import { isErrorShown } from '../../core/evals/error-shown.ts';
import { hashIds } from '../../core/evals/split.ts';
import type { Protocol } from '../../protocol/ask.ts';
import type { RunConfig } from '../../protocol/ledger.ts';
import type { EvalRequest } from './eval-request.ts';
import { sha256 } from './splits.ts';

/** Name of the prompt format of each protocol. */
const PROMPTS = { one_shot: 'lines-1', turns: 'turns-1' } as const;

/** All that the numbers of an evaluation depend on. */
export function configOf(protocol: Protocol, request: EvalRequest): RunConfig {
  const { dataset, items, split, model, link, timeoutMs, metric, score } = request;
  const { repair: _, ...decoding } = request.decoding;
  const { name, format, hash } = dataset;
  const ids = items.map(({ id }) => id);
  return {
    dataset: { name, format, hash },
    split,
    items: { count: items.length, of: dataset.items.length, hash: hashIds(ids, sha256) },
    model,
    protocol,
    decoding: isErrorShown({ protocol, decoding: request.decoding }) ? { ...decoding, repair: true } : decoding,
    prompt: { name: PROMPTS[protocol], link },
    timeoutMs,
    metric,
    score,
  };
}
