import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { ProcessIdentity, RUN_FILES, TrainingRun, TrainingStatus } from '../../protocol/training.ts';
import { noTrainingRun, trainingRunDamaged } from './errors.ts';

/** Bytes of the trainer's output that are shown, the last ones. */
const LOG_BYTES = 4000;

/** What was asked of a run: the rest of its settings the trainer takes from what suits the model. */
const GivenConfig = z.looseObject({
  model: z.looseObject({ base: z.string() }),
  data: z.looseObject({ train: z.string() }),
});
export type GivenConfig = z.infer<typeof GivenConfig>;

/** Who was started to work on a run, and when: until its first heartbeat nothing else tells. */
export const LaunchRecord = z.object({ v: z.literal(1), time: z.string(), process: ProcessIdentity });
export type LaunchRecord = z.infer<typeof LaunchRecord>;
/** Its name in a run directory. */
export const LAUNCH_FILE = 'launch.json';

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
const isAbsent = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** A JSON file of a run directory; null where it is not there. @throws AppError `training_run_damaged` */
async function readJson<T>(path: string, schema: z.ZodMiniType<T>): Promise<T | null> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (isAbsent(error)) return null;
    throw trainingRunDamaged(path, reasonOf(error));
  }
  // Not by the class of what `parse` throws: to name it brings all of zod into whatever is bundled with this file.
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw trainingRunDamaged(path, `its field ${issue?.path.join('.') || '(all)'} is missing or wrong`);
}

/** The same of a file that the next trainer writes anew, so that a damaged one is none: a power cut may leave it empty. */
async function readPassing<T>(path: string, schema: z.ZodMiniType<T>): Promise<T | null> {
  return await readJson(path, schema).catch(() => null);
}

/** What was asked of a run. @throws AppError `training_run_missing`, `training_run_damaged` */
export async function readGivenConfig(folder: string): Promise<GivenConfig> {
  const config = await readJson(join(folder, RUN_FILES.config), GivenConfig);
  if (config === null) throw noTrainingRun(folder);
  return config;
}

/** What is running; null before the trainer has looked at model and data. @throws AppError `training_run_damaged` */
export async function readTrainingRun(folder: string): Promise<TrainingRun | null> {
  return await readJson(join(folder, RUN_FILES.run), TrainingRun);
}

/** The heartbeat; null before the first, or where it is damaged. */
export async function readTrainingStatus(folder: string): Promise<TrainingStatus | null> {
  return await readPassing(join(folder, RUN_FILES.status), TrainingStatus);
}

/** Who was started last; null where the trainer was started by hand, or where the file is damaged. */
export async function readLaunch(folder: string): Promise<LaunchRecord | null> {
  return await readPassing(join(folder, LAUNCH_FILE), LaunchRecord);
}

/** The end of what the trainer printed, in whole lines; '' where it printed nothing. */
export async function readTrainerLog(folder: string): Promise<string> {
  try {
    await using file = await open(join(folder, RUN_FILES.log));
    const { size } = await file.stat();
    const start = Math.max(0, size - LOG_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    const text = buffer.toString('utf8', 0, bytesRead);
    return (start === 0 ? text : text.slice(text.indexOf('\n') + 1)).trim();
  } catch (error) {
    if (isAbsent(error)) return '';
    throw error;
  }
}
