import type { ContentState } from '../store/content-state.ts';
import { contentStateOf } from '../store/content-state.ts';
import type { Store } from '../store/store.ts';

/** A database as far as what was computed of it may be used again. */
export interface KnownDatabase {
  db: string;
  /** Taken before the work begins. */
  state: ContentState;
  /** Names the content: its hash, or without a store the state of its file. */
  content: string;
}

/** What is known of a database; null where nothing of it may be kept: it is missing, or being written just now. */
export async function knownDatabase(store: Store | null, db: string): Promise<KnownDatabase | null> {
  const state = contentStateOf(db);
  if (state === null) return null;
  const content = store === null ? `${state.path}\0${state.text}` : await store.contents.of(state);
  return content === null ? null : { db, state, content };
}
