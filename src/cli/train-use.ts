import { join } from 'node:path';
import { RUN_FILES } from '../protocol/training.ts';
import { localModelOfBase } from '../runtime/trainer/base-model.ts';
import type { RunSnapshot } from '../runtime/trainer/run-reader.ts';
import { typedPath } from './typed-path.ts';

const quoted = (path: string) => (/^[\w./\\:@%+=-]+$/.test(path) ? path : JSON.stringify(path));

/** What can be done with the adapter of a run that is done: the files, and commands to be typed. */
export function adapterLines({ folder, run }: RunSnapshot, cwd: string): string[] {
  const typed = typedPath(folder, cwd);
  const gguf = quoted(join(typed, RUN_FILES.adapterGguf));
  const model = run === null ? null : localModelOfBase(run);
  const use =
    model === null
      ? [`make a model of it: sql-agent-trainer export ${quoted(typed)} --to merged-q8_0 --out model.gguf`]
      : [
          `ask with it: sql-agent ask DB "question" --model ${model} --adapter ${gguf}`,
          `measure it:  sql-agent eval --dataset FILE --model ${model} --adapter ${gguf}`,
        ];
  return [
    `Adapter: ${join(typed, RUN_FILES.adapter)} (PEFT), ${RUN_FILES.adapterGguf} beside it`,
    ...use.map((line) => `  ${line}`),
  ];
}
