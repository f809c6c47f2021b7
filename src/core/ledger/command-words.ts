/** What a path may be told relative to, so that a record names no machine; absolute paths. */
export interface Places {
  /** The working folder. */
  cwd: string;
  home: string;
}

/** An option whose value is a secret. */
const SECRET_OPTION = /^--[\w-]*(?:key|token|secret|password)$/i;
const HIDDEN = '***';

function isAbsolute(path: string): boolean {
  return /^(?:\/|[a-z]:[\\/]|\\\\)/i.test(path);
}

function withSlashes(path: string): string {
  return path.replaceAll('\\', '/').replace(/\/+$/, '');
}

function nameOf(path: string): string {
  return withSlashes(path).split('/').at(-1) ?? '';
}

/** What stands behind `folder` in a path; null where the path does not lie in it. */
function behind(path: string, folder: string): string | null {
  const base = withSlashes(folder);
  if (path === base) return '';
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1) : null;
}

/** An absolute path as it is typed from the working folder, from its parent or from home; else its last part alone. */
export function toldPath(path: string, { cwd, home }: Places): string {
  const plain = withSlashes(path);
  const inside = behind(plain, cwd);
  if (inside !== null) return inside || '.';
  const beside = behind(plain, withSlashes(cwd).replace(/\/[^/]*$/, ''));
  if (beside !== null) return `../${beside}`;
  const own = behind(plain, home);
  return own === null ? `…/${nameOf(plain)}` : `~/${own}`;
}

function harmlessAddress(text: string): string {
  return text.replace(/^(https?:\/\/)[^/@\s]*@/i, '$1');
}

/**
 * The words of a command as a record keeps them: absolute paths are told relative to the working folder, its parent or
 * home, or by their last part (`…/data`); keys and credentials are left out; the interpreter and the script before the
 * words become `sql-agent` at the caller.
 */
export function recordedWords(words: readonly string[], places: Places): string[] {
  return words.map((word, index) => {
    if (SECRET_OPTION.test(words[index - 1] ?? '')) return HIDDEN;
    const [, option, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    if (option !== undefined && value !== undefined) {
      if (SECRET_OPTION.test(option)) return `${option}=${HIDDEN}`;
      return `${option}=${isAbsolute(value) ? toldPath(value, places) : harmlessAddress(value)}`;
    }
    return isAbsolute(word) ? toldPath(word, places) : harmlessAddress(word);
  });
}
