import { homedir } from 'node:os';
import { basename, dirname, sep } from 'node:path';
import type { Catalog } from '../../protocol/catalog.ts';
import type { DatabaseState } from '../../protocol/database-view.ts';
import type { WireError } from '../../protocol/errors.ts';

/** A folder as a person writes it: `~` for the home folder. */
export function folderForPeople(folder: string, home = homedir()): string {
  if (folder === home) return '~';
  return folder.startsWith(`${home}${sep}`) ? `~${folder.slice(home.length)}` : folder;
}

/** The state of an editor whose file is not read yet. */
export function unread(path: string): DatabaseState {
  return {
    file: { name: basename(path), folder: folderForPeople(dirname(path)), bytes: null },
    revision: 0,
    catalog: null,
    problem: null,
    changed: false,
  };
}

/** The file was read: what the view knows of its rows is of an earlier revision. */
export function read(state: DatabaseState, catalog: Catalog, bytes: number): DatabaseState {
  const file = { ...state.file, bytes };
  return { file, revision: state.revision + 1, catalog, problem: null, changed: false };
}

/** The file could not be read. */
export function failed(state: DatabaseState, problem: WireError): DatabaseState {
  return { ...state, revision: state.revision + 1, catalog: null, problem, changed: false };
}

/** The file is another one than was read. */
export function changed(state: DatabaseState): DatabaseState {
  return { ...state, changed: true };
}
