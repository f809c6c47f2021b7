import { readFile } from 'node:fs/promises';
import { availableParallelism, hostname } from 'node:os';
import { join } from 'node:path';
import type { TrainingRun } from '../../../src/protocol/training.ts';
import { packageRoot } from '../../../src/runtime/paths.ts';
import type { EngineInfo } from '../engine/engine.ts';

/** The version of this program. */
export async function programVersion(): Promise<string> {
  const { version }: { version: string } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8'));
  return version;
}

/** What computes, as a run records it. */
export async function machineOf({ name, peakFlops }: EngineInfo): Promise<TrainingRun['machine']> {
  return {
    host: hostname(),
    program: await programVersion(),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    cpus: availableParallelism(),
    device: name,
    peak_flops: peakFlops,
  };
}
