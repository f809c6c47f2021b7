import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RUN_FILES } from '../../protocol/training.ts';
import { adapterTitle, localModelOfHash, readAdapterFile } from '../../runtime/model/adapter-file.ts';
import { LOCAL_MODELS, type LocalModelName } from '../../runtime/model/manifest.ts';
import type { Ctx } from '../ctx.ts';
import { evaluationsByAdapter } from './adapter-evaluations.ts';

/** An adapter of the user's. */
export interface KnownAdapter {
  /** Absolute path of its file. */
  path: string;
  /** Name of its training run, or of its file. */
  title: string;
  /** The local model that answers with it; null: none here does. */
  base: LocalModelName | null;
  /** What it was trained for, for people. */
  baseName: string;
  /** When its file was written, in milliseconds since 1970. */
  changed: number;
  /** What its last evaluation found; null: there is none in the ledgers of this window. */
  evaluated: string | null;
}

/** An adapter that was used. Its base is told by the user where its file does not. */
interface UsedAdapter {
  path: string;
  base: LocalModelName;
}

/** Where VS Code keeps the adapters that were used. */
const KEY = 'sqlAgent.adapters';
/** Adapters that are remembered, the last ones. */
const MOST = 20;

function isUsed(value: unknown): value is UsedAdapter {
  if (typeof value !== 'object' || value === null || !('path' in value) || !('base' in value)) return false;
  return typeof value.path === 'string' && LOCAL_MODELS.some((name) => name === value.base);
}

function usedAdapters({ extension }: Ctx): UsedAdapter[] {
  const kept: unknown = extension.globalState.get(KEY);
  return Array.isArray(kept) ? kept.filter(isUsed) : [];
}

/** Keeps in mind an adapter that was used, in whatever window. */
export async function rememberAdapter(ctx: Ctx, used: UsedAdapter): Promise<void> {
  const others = usedAdapters(ctx).filter(({ path }) => path !== used.path);
  await ctx.extension.globalState.update(KEY, [...others, used].slice(-MOST));
}

/** The adapters of the runs of this window that are done. */
async function adaptersOfRuns(ctx: Ctx): Promise<string[]> {
  const { runs } = await (await ctx.trainings()).list();
  const done = runs.filter(({ snapshot }) => snapshot.state === 'done');
  return done.map(({ snapshot }) => join(snapshot.folder, RUN_FILES.adapterGguf));
}

/** What is known of an adapter; null where its file cannot be used. */
async function lookAt(ctx: Ctx, path: string, used: readonly UsedAdapter[]): Promise<KnownAdapter | null> {
  try {
    const [{ baseHash, baseName }, { mtimeMs: changed }] = await Promise.all([readAdapterFile(path), stat(path)]);
    const said = used.find((adapter) => adapter.path === path)?.base ?? null;
    const base = baseHash === null ? said : localModelOfHash(baseHash);
    const title = adapterTitle(path);
    return { path, title, base, baseName: base ?? baseName ?? 'another model', changed, evaluated: null };
  } catch (error) {
    ctx.log.debug(`an adapter is left out: ${String(error)}`);
    return null;
  }
}

/** The adapters that this window knows, those of its training runs and those used before, the newest first. */
export async function knownAdapters(ctx: Ctx): Promise<KnownAdapter[]> {
  const used = usedAdapters(ctx);
  const paths = new Set([...(await adaptersOfRuns(ctx)), ...used.map(({ path }) => path)]);
  const looks = await Promise.all([...paths].map((path) => lookAt(ctx, path, used)));
  const found = looks.filter((adapter) => adapter !== null).sort((one, other) => other.changed - one.changed);
  const evaluations = await evaluationsByAdapter(ctx);
  return await Promise.all(found.map(async (adapter) => ({ ...adapter, evaluated: await evaluations(adapter.path) })));
}
