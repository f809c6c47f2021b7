import { randomUUID } from 'node:crypto';
import { readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { arch, availableParallelism, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { toWireError } from '../protocol/errors.ts';
import type { EngineInfo } from '../protocol/model-channel.ts';
import { makeFolderSync } from './make-folder.ts';
import { probeEngine } from './model/engine-probe.ts';
import { listModels, type ModelStatus } from './model/models.ts';
import { packageRoot } from './paths.ts';
import { SandboxPool } from './sandbox/pool.ts';
import { openStore } from './store/store.ts';

/** One thing that was tried. `detail` says what was found or, where it failed, what to do. */
export interface Check {
  name: 'node' | 'sandbox' | 'store' | 'models' | 'engine' | 'storage';
  ok: boolean;
  detail: string;
}

/** What `sql-agent doctor` reports. */
export interface Diagnosis {
  versions: { workbench: string; node: string; sqlite: string | null; llama: string | null };
  machine: { platform: string; cores: number; memoryBytes: number };
  /** null where the engine of local models did not start. */
  engine: EngineInfo | null;
  models: ModelStatus[];
  folders: { storage: string; writable: boolean; freeBytes: number | null };
  checks: Check[];
}

/** Oldest Node that has all of `node:sqlite` that the sandbox needs. */
const NEEDED_NODE: readonly [number, number] = [24, 15];

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [neededMajor, neededMinor] = NEEDED_NODE;
  const ok = major > neededMajor || (major === neededMajor && minor >= neededMinor);
  const needed = ok ? '' : `; ${NEEDED_NODE.join('.')} or newer is needed`;
  return { name: 'node', ok, detail: `Node ${process.versions.node}${needed}` };
}

/** Runs a query and an attack on a database of our own, as every query runs. */
async function checkSandbox(): Promise<{ check: Check; sqlite: string | null }> {
  const sandbox = new SandboxPool({ children: 1, spares: 0 });
  const db = join(packageRoot, 'media/chinook.sqlite');
  try {
    const read = await sandbox.query({ db, sql: 'SELECT sqlite_version()', timeoutMs: 10_000 });
    const write = await sandbox.query({ db, sql: 'DELETE FROM Artist', timeoutMs: 10_000 });
    const sqlite = read.rows[0]?.[0];
    const ok = typeof sqlite === 'string' && write.status === 'rejected';
    const detail = ok
      ? `SQLite ${sqlite}; a query ran, a write was refused`
      : `a query ended with ${read.status}, a write with ${write.status}: do not use this installation; install it anew`;
    return { check: { name: 'sandbox', ok, detail }, sqlite: typeof sqlite === 'string' ? sqlite : null };
  } catch (error) {
    return { check: { name: 'sandbox', ok: false, detail: toWireError(error).message }, sqlite: null };
  } finally {
    await sandbox.dispose();
  }
}

function checkStore(storage: string): Check {
  const store = openStore(storage);
  try {
    const ok = store.notes.length === 0;
    return { name: 'store', ok, detail: ok ? 'caches can be read and written' : store.notes.join(' ') };
  } finally {
    store.close();
  }
}

function gpuOf({ gpu, gpuNames }: EngineInfo): string {
  if (gpu === null) return 'no GPU in use';
  return `${gpu}${gpuNames.length > 0 ? ` on ${gpuNames.join(', ')}` : ''}`;
}

async function checkEngine(): Promise<{ check: Check; engine: EngineInfo | null }> {
  try {
    const engine = await probeEngine();
    const detail = `node-llama-cpp ${engine.version}, ${engine.cpuCores} cores, ${gpuOf(engine)}`;
    return { check: { name: 'engine', ok: true, detail }, engine };
  } catch (error) {
    return { check: { name: 'engine', ok: false, detail: toWireError(error).message }, engine: null };
  }
}

function checkModels(models: ModelStatus[]): Check {
  const preferred = models.find((model) => model.isDefault);
  const detail = preferred ? `"ask" uses ${preferred.name}` : 'no local model can be used';
  return { name: 'models', ok: preferred !== undefined, detail };
}

async function checkStorage(storage: string): Promise<{ check: Check; freeBytes: number | null }> {
  const probe = join(storage, `.doctor-${randomUUID()}`);
  try {
    makeFolderSync(storage);
    await writeFile(probe, '');
    await rm(probe);
    const { bavail, bsize } = await statfs(storage);
    return { check: { name: 'storage', ok: true, detail: `${storage} can be written` }, freeBytes: bavail * bsize };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const detail = `${storage} cannot be written (${reason}): set SQL_AGENT_HOME to a folder that can`;
    return { check: { name: 'storage', ok: false, detail }, freeBytes: null };
  }
}

async function workbenchVersion(): Promise<string> {
  return JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')).version;
}

/** Tries everything that a question needs, and says what was found. Never throws for what is broken. */
export async function diagnoseInstallation(storage: string): Promise<Diagnosis> {
  const place = await checkStorage(storage);
  const [sandbox, engine, models, workbench] = await Promise.all([
    checkSandbox(),
    checkEngine(),
    listModels(storage),
    workbenchVersion(),
  ]);
  return {
    versions: {
      workbench,
      node: process.versions.node,
      sqlite: sandbox.sqlite,
      llama: engine.engine?.version ?? null,
    },
    machine: { platform: `${platform()} ${arch()}`, cores: availableParallelism(), memoryBytes: totalmem() },
    engine: engine.engine,
    models,
    folders: { storage, writable: place.check.ok, freeBytes: place.freeBytes },
    checks: [checkNode(), sandbox.check, checkStore(storage), checkModels(models), engine.check, place.check],
  };
}
