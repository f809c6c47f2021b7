import { ClausePlaces } from '../../core/debug/clause-places.ts';
import type { TracePlan } from '../../core/diagnose/trace/plan.ts';
import type { Source } from '../../protocol/dap.ts';
import { noSuchSource } from './errors.ts';

/** A text that is shown: a file, or one that the debugger holds. */
export interface SourceText {
  readonly source: Source;
  readonly text: string;
  readonly places: ClausePlaces;
}

/** A query as it was given. */
export interface GivenText {
  readonly name: string;
  /** What is parsed: statements that are not meant are blank. */
  readonly text: string;
  /** What is shown. */
  readonly shown: string;
  /** Absolute path of its file; null: the debugger holds the text. */
  readonly path: string | null;
}

/** The texts of a session: the queries and the views in them. */
export class SourceTexts {
  readonly #held = new Map<number, SourceText & { readonly shown: string }>();
  readonly #files = new Map<string, SourceText>();
  readonly #views = new Map<string, SourceText>();

  /** Adds a query. */
  add({ name, text, shown, path }: GivenText, plan: TracePlan): SourceText {
    const places = new ClausePlaces(text, plan);
    if (path !== null) {
      const file = { source: { name, path }, text, places };
      this.#files.set(path, file);
      return file;
    }
    return this.#hold(name, text, shown, places);
  }

  /** The text of a plan that is not the query's own: CREATE VIEW. */
  ofView(plan: TracePlan): SourceText {
    const known = this.#views.get(plan.text);
    if (known !== undefined) return known;
    const held = this.#hold(
      `${plan.source.name ?? 'view'}.sql`,
      plan.text,
      plan.text,
      new ClausePlaces(plan.text, plan),
    );
    this.#views.set(plan.text, held);
    return held;
  }

  /** The text that a client names; null where it is none of the session's. */
  find({ path, sourceReference }: Source): SourceText | null {
    if (sourceReference !== undefined && sourceReference > 0) return this.#held.get(sourceReference) ?? null;
    return path === undefined ? null : (this.#files.get(path) ?? null);
  }

  /** @throws AppError `dap_no_source` */
  content(reference: number): string {
    const held = this.#held.get(reference);
    if (held === undefined) throw noSuchSource(reference);
    return held.shown;
  }

  #hold(name: string, text: string, shown: string, places: ClausePlaces) {
    const sourceReference = this.#held.size + 1;
    const held = { source: { name, sourceReference }, text, shown, places };
    this.#held.set(sourceReference, held);
    return held;
  }
}
