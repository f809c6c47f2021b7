import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { EditedView, type QueryOutcome, RunView } from '../../protocol/ask-panel.ts';
import { JsonCell } from '../../protocol/value.ts';
import { type AskState, EMPTY, isRunning } from './state.ts';

/** Most characters of rows that are kept of one result. */
const ROWS_KEPT = 1_000_000;
/** Panels whose contents are kept. */
const PANELS_KEPT = 30;

/** What is kept of a panel on disk, so that it is there again after the window was reloaded. */
const AskRecord = z.object({
  version: z.literal(1),
  run: z.nullable(RunView),
  samples: z.int(),
  edited: z.nullable(EditedView),
  edits: z.int(),
  rows: z.record(z.string(), z.array(z.array(JsonCell))),
});
type AskRecord = z.infer<typeof AskRecord>;

function firstRows(rows: readonly JsonCell[][]): JsonCell[][] {
  let characters = 0;
  const end = rows.findIndex((row) => {
    characters += JSON.stringify(row).length;
    return characters > ROWS_KEPT;
  });
  return end < 0 ? [...rows] : rows.slice(0, end);
}

/** The outcome with as many rows as were kept. */
function cut(outcome: QueryOutcome, rows: AskRecord['rows']): QueryOutcome {
  const { table } = outcome;
  const kept = table === null ? 0 : (rows[table.id]?.length ?? 0);
  if (table === null || kept === table.rows) return outcome;
  return { ...outcome, table: { ...table, rows: kept, truncated: true } };
}

/** A panel's state as it is kept: of large results the first rows. */
export function recordOf(state: AskState): AskRecord {
  const rows = Object.fromEntries(Object.entries(state.rows).map(([id, all]) => [id, firstRows(all)]));
  const { run, edited, samples, edits } = state;
  const answer = run?.answer ?? null;
  const keptRun = run && answer ? { ...run, answer: { ...answer, outcome: cut(answer.outcome, rows) } } : run;
  const outcome = edited?.outcome ?? null;
  const keptEdited = edited && outcome ? { ...edited, outcome: cut(outcome, rows) } : edited;
  return { version: 1, run: keptRun, samples, edited: keptEdited, edits, rows };
}

/** The state of a kept panel. What ran when it was kept runs no more. */
export function stateOf(record: unknown): AskState | null {
  const parsed = AskRecord.safeParse(record);
  if (!parsed.success) return null;
  const { run, samples, edited, edits, rows } = parsed.data;
  const state: AskState = { ...EMPTY, run, samples, edits, rows };
  const ended = edited !== null && (edited.outcome !== null || edited.error !== null);
  const kept = { ...state, edited: ended ? edited : null };
  if (run === null || !isRunning(state)) return kept;
  return { ...kept, run: { ...run, status: 'interrupted', phase: null, live: null } };
}

/** The files that panels are kept in. Whoever uses one panel writes one file; a write that is overtaken is left out. */
export class RecordFolder {
  readonly #folder: string;
  readonly #writing = new Map<string, Promise<void>>();
  readonly #next = new Map<string, string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  #path(panel: string): string {
    return join(this.#folder, `${panel}.json`);
  }

  /** Keeps a panel's state. Ends when it, or a later state, is on disk. */
  async write(panel: string, state: AskState): Promise<void> {
    this.#next.set(panel, JSON.stringify(recordOf(state)));
    const running = this.#writing.get(panel);
    if (running !== undefined) return await running;
    const writing = this.#writeAll(panel);
    this.#writing.set(panel, writing);
    try {
      await writing;
    } finally {
      this.#writing.delete(panel);
    }
  }

  async #writeAll(panel: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    for (let text = this.#next.get(panel); text !== undefined; text = this.#next.get(panel)) {
      this.#next.delete(panel);
      const path = this.#path(panel);
      await writeFile(`${path}.new`, text);
      await rename(`${path}.new`, path);
    }
  }

  /** The kept state; null where there is none that can be read. */
  async read(panel: string): Promise<AskState | null> {
    try {
      return stateOf(JSON.parse(await readFile(this.#path(panel), 'utf8')));
    } catch {
      return null;
    }
  }

  /** Forgets a panel that the user closed. */
  async remove(panel: string): Promise<void> {
    this.#next.delete(panel);
    await this.#writing.get(panel);
    await rm(this.#path(panel), { force: true });
  }

  /** Forgets all but the panels that were written last. */
  async prune(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name);
        const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }));
        return { path, mtimeMs };
      }),
    );
    files.sort((a, b) => b.mtimeMs - a.mtimeMs);
    await Promise.all(files.slice(PANELS_KEPT).map(({ path }) => rm(path, { force: true })));
  }
}
