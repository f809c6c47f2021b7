import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of public data sets and reference vectors that may lie beside a checkout; not part of a clone. */
export const sharedFolder = fileURLToPath(new URL('../../../shared', import.meta.url));

/** Skips the calling test, saying why, where `../shared` lacks `path`; else returns its absolute path. */
export function needShared(test: Mocha.Context, path: string): string {
  const full = join(sharedFolder, path);
  if (!existsSync(full)) {
    process.stdout.write(`      skipped: ../shared/${path} is absent\n`);
    test.skip();
  }
  return full;
}
