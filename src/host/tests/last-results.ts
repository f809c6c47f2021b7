import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { ItemRecord } from '../../protocol/eval.ts';
import type { EvalLine } from '../../protocol/ledger.ts';
import type { Dataset } from '../../runtime/evals/load-dataset.ts';
import type { Ledger } from '../../runtime/store/ledger.ts';

/** Runs of a dataset that are looked through: what is older says little of today's model. */
const MOST_RUNS = 20;

/** The items of a run that was recorded, one by one, in the order in which they ended. */
async function* recordsOf(path: string): AsyncGenerator<ItemRecord> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    const record = recordOf(line);
    if (record !== null) yield record;
  }
}

/** A line as a record; null for one that is torn. */
function recordOf(line: string): ItemRecord | null {
  try {
    const parsed = ItemRecord.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** The runs of a dataset, newest first: of the file as it is, or of one of the same name before it was changed. */
function runsOf(runs: readonly EvalLine[], { hash, name }: Pick<Dataset, 'hash' | 'name'>): EvalLine[] {
  const same = runs.filter(({ config }) => config.dataset.hash === hash || config.dataset.name === name);
  return same.slice(0, MOST_RUNS);
}

/** A record that the ledger knows of a question as it stands in the dataset now. */
export interface KnownRecord {
  run: EvalLine;
  record: ItemRecord;
}

/**
 * What the ledger knows of the questions of a dataset: of each the newest record, run by run from the newest. Records of
 * questions that were changed since are left out, and so are runs whose output is gone.
 */
export async function* knownRecords(ledger: Ledger, dataset: Dataset): AsyncGenerator<KnownRecord> {
  const open = new Map(dataset.items.map((item) => [item.id, item]));
  for (const run of runsOf(await ledger.runs(), dataset)) {
    if (open.size === 0) return;
    const seen = new Set<string>();
    try {
      for await (const record of recordsOf(resolve(ledger.folder, run.output.path))) {
        const item = open.get(record.id);
        if (item?.question !== record.question || item.gold !== record.gold) continue;
        seen.add(record.id);
        yield { run, record };
      }
    } catch {
      // Its output was moved or removed: the runs before it may still be there.
    }
    for (const id of seen) open.delete(id);
  }
}
