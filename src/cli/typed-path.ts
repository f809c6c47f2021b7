import { relative } from 'node:path';

/** A path as the user can type it: relative where that is shorter. */
export function typedPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short !== '' && short.length < path.length ? short : path;
}
