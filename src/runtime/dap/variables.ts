import type { CancelSignal } from '../../core/ports.ts';
import type { Variable } from '../../protocol/dap.ts';
import { staleReference } from './errors.ts';

/** A row that a data breakpoint can follow. */
export interface Followable {
  /** What the row is called, e.g. `Album.rowid = 3`. */
  readonly description: string;
  readonly dataId: string;
}

/** What stands behind a reference: children by name, or by number and then read page by page. */
export interface Container {
  named?(signal: CancelSignal): Promise<Variable[]> | Variable[];
  /** How many there are; null: unknown. */
  readonly size?: number | null;
  page?(start: number, count: number, signal: CancelSignal): Promise<Variable[]>;
  /** A child as something that a data breakpoint can follow; null where it cannot. */
  follow?(name: string, signal: CancelSignal): Promise<Followable | null>;
}

/** Children that are read at once where nobody says how many. */
const PAGE = 100;
/** Children of one answer at most. */
const MOST = 10_000;

/** The references of variables, which are good until the next clause is shown. */
export class Handles {
  readonly #containers = new Map<number, Container>();
  #last = 0;

  add(container: Container): number {
    this.#containers.set(++this.#last, container);
    return this.#last;
  }

  /** Makes all references stale. */
  clear(): void {
    this.#containers.clear();
  }

  /** @throws AppError `dap_stale` */
  get(reference: number): Container {
    const container = this.#containers.get(reference);
    if (container === undefined) throw staleReference();
    return container;
  }

  /** The children of a reference. @throws AppError `dap_stale`; what reading them throws */
  async children(
    { variablesReference, filter, start: from = 0, count: many }: VariablesRequest,
    signal: CancelSignal,
  ): Promise<Variable[]> {
    const start = wholeNumber(from);
    const count = many === undefined ? undefined : wholeNumber(many);
    const container = this.get(variablesReference);
    const named = filter === 'indexed' ? [] : ((await container.named?.(signal)) ?? []);
    if (filter === 'named' || container.page === undefined) return sliced(named, filter, start, count);
    const size = container.size ?? null;
    const wanted = count === undefined || count === 0 ? (size === null ? PAGE : size - start) : count;
    const left = size === null ? wanted : Math.max(0, size - start);
    const rows = await container.page(start, Math.min(wanted, left, MOST), signal);
    const more = size === null && count === undefined && rows.length === PAGE ? [moreRows()] : [];
    return [...named, ...rows, ...more];
  }
}

export interface VariablesRequest {
  readonly variablesReference: number;
  readonly filter?: 'indexed' | 'named' | undefined;
  readonly start?: number | undefined;
  readonly count?: number | undefined;
}

/** What a client asks for beyond the ends, or between two rows, begins at a row. */
function wholeNumber(value: number): number {
  return Math.max(0, Math.trunc(value));
}

function sliced(named: Variable[], filter: string | undefined, start: number, count: number | undefined): Variable[] {
  if (filter !== 'named' || (start === 0 && !count)) return named;
  return named.slice(start, count ? start + count : undefined);
}

function moreRows(): Variable {
  return {
    name: '…',
    value: `the first ${PAGE} are shown; ask for others in the Debug Console: SELECT … FROM rows`,
    variablesReference: 0,
    presentationHint: { attributes: ['readOnly'] },
  };
}
