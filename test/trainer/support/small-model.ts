import { readyModelFiles } from '../../../src/runtime/model/model-files.ts';

/** The bundled model's GGUF file, joined from its parts into a folder. */
export async function smallModel(folder: string): Promise<string> {
  return (await readyModelFiles('small', folder)).base;
}
