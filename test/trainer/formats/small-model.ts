import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bundledModels, readModelEntry } from '../../../src/runtime/model/manifest.ts';
import { readyModelFiles } from '../../../src/runtime/model/model-files.ts';
import { storageFolder } from '../../../src/runtime/paths.ts';

/** The file of the model that comes with the program, joined from its parts; skips the test, saying why, where they are absent. */
export async function needSmall(test: Mocha.Context): Promise<string> {
  const { from } = readModelEntry('small').base;
  const missing =
    from.kind === 'parts' ? from.parts.find(({ file }) => !existsSync(join(bundledModels, file))) : undefined;
  if (missing) {
    process.stdout.write(`      skipped: models/${missing.file} is absent\n`);
    test.skip();
  }
  return (await readyModelFiles('small', storageFolder())).base;
}
