import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bundledModels, readModelEntry } from '../../../src/runtime/model/manifest.ts';
import { readyModelFiles } from '../../../src/runtime/model/model-files.ts';

/** The bundled model's GGUF file, joined from its parts into a folder. */
export async function smallModel(folder: string): Promise<string> {
  return (await readyModelFiles('small', folder)).base;
}

/** As `smallModel`; skips the test, saying why, where a part of the model is absent. */
export async function needSmallModel(test: Mocha.Context, folder: string): Promise<string> {
  const { from } = readModelEntry('small').base;
  const parts = from.kind === 'parts' ? from.parts : [];
  const missing = parts.find(({ file }) => !existsSync(join(bundledModels, file)));
  if (missing) {
    process.stdout.write(`      skipped: models/${missing.file} is absent\n`);
    test.skip();
  }
  return smallModel(folder);
}
