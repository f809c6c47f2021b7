import { basename } from 'node:path';
import { modelTitle } from '../../core/evals/model-title.ts';
import type { WireError } from '../../protocol/errors.ts';
import type { ItemRecord } from '../../protocol/eval.ts';
import type { ItemPanelState, ItemPlace } from '../../protocol/item-panel.ts';
import type { ItemDetail } from '../../runtime/evals/item-detail.ts';
import { shapesInWords } from '../ask/words.ts';
import type { RunEntry } from './entry.ts';
import { type SideRows, unrunSide } from './rows.ts';

/** Where an item stands among those of the same outcome. */
export function placeOf(record: ItemRecord, records: readonly ItemRecord[]): ItemPlace {
  const alike = records.filter(({ outcome }) => outcome === record.outcome);
  const at = alike.findIndex(({ id }) => id === record.id);
  return {
    position: at + 1,
    of: alike.length,
    previous: alike[at - 1]?.id ?? null,
    next: alike[at + 1]?.id ?? null,
  };
}

/** An item as it is shown before its queries have run. @param records all of the run */
export function beforeRows(run: RunEntry, record: ItemRecord, records: readonly ItemRecord[]): ItemPanelState {
  const { config, id } = run;
  const { diff: _, ...kept } = record;
  return {
    run: {
      id,
      model: modelTitle(config.model),
      dataset: config.dataset.name,
      split: config.split?.name ?? null,
      metric: config.metric,
      protocol: config.protocol,
    },
    record: kept,
    words: shapesInWords(record.signals),
    place: placeOf(record, records),
    database: null,
    problem: null,
    gold: unrunSide(record.gold),
    pred: unrunSide(record.sql),
    difference: null,
  };
}

/** The item with its database. */
export function withDatabase(state: ItemPanelState, path: string): ItemPanelState {
  return { ...state, database: { name: basename(path), path } };
}

/** The item, its queries not run for a reason. */
export function withProblem(state: ItemPanelState, problem: WireError): ItemPanelState {
  return { ...state, problem };
}

/** The item with the rows of its queries, which `rows` keeps. */
export function withRows(state: ItemPanelState, detail: ItemDetail, rows: SideRows): ItemPanelState {
  const { gold, pred, compared } = detail;
  const marks = compared?.marks ?? null;
  return {
    ...state,
    gold: rows.side(state.record.gold, gold, marks?.gold ?? null),
    pred:
      pred === null || state.record.sql === null ? state.pred : rows.side(state.record.sql, pred, marks?.pred ?? null),
    difference: compared?.difference ?? null,
  };
}
