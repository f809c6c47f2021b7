import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { ModelTimings } from '../../protocol/model-channel.ts';
import { makeFolderSync } from '../make-folder.ts';
import { readableBytes } from './errors.ts';
import type { LocalModelName, ModelEntry } from './manifest.ts';

/** How fast a model is on this machine. */
const Speed = z.object({ readPerSecond: z.number(), writePerSecond: z.number(), loadSeconds: z.number() });
export type Speed = z.infer<typeof Speed>;

/** Tokens of an answer: the mean over the reference questions. */
const TYPICAL_ANSWER = 25;
/** Share of a new measurement in the kept figure. */
const WEIGHT = 0.3;
/** Fewer tokens than these measure overhead, not speed. */
const LEAST = { read: 50, written: 8 };

/** The file that keeps the speed of a model. */
export function speedPath(storage: string, name: LocalModelName): string {
  return join(storage, 'models', `speed-${name}.json`);
}

/** Speed measured on this machine, or the manifest's figures where there is none yet. */
export async function readSpeed(storage: string, name: LocalModelName, entry: ModelEntry): Promise<Speed> {
  try {
    return Speed.parse(JSON.parse(await readFile(speedPath(storage, name), 'utf8')));
  } catch {
    return entry.speed;
  }
}

function mix(old: number, measured: number): number {
  return old * (1 - WEIGHT) + measured * WEIGHT;
}

/** The speed after one more answer. @param loadMs null where the model was loaded already. */
export function learnSpeed(speed: Speed, timings: ModelTimings, loadMs: number | null): Speed {
  const { readTokens, readMs, writtenTokens, writeMs } = timings;
  return {
    readPerSecond:
      readTokens >= LEAST.read && readMs > 0
        ? mix(speed.readPerSecond, (readTokens / readMs) * 1000)
        : speed.readPerSecond,
    writePerSecond:
      writtenTokens >= LEAST.written && writeMs > 0
        ? mix(speed.writePerSecond, (writtenTokens / writeMs) * 1000)
        : speed.writePerSecond,
    loadSeconds: loadMs === null ? speed.loadSeconds : mix(speed.loadSeconds, loadMs / 1000),
  };
}

/** Keeps a speed. Where the storage cannot be written nothing is kept. */
export async function writeSpeed(storage: string, name: LocalModelName, speed: Speed): Promise<void> {
  const target = speedPath(storage, name);
  const temporary = `${target}.${process.pid}`;
  try {
    makeFolderSync(join(storage, 'models'));
    await writeFile(temporary, JSON.stringify(speed));
    await rename(temporary, target);
  } catch {
    await rm(temporary, { force: true }).catch(() => undefined);
  }
}

function seconds(value: number): string {
  return `about ${Math.max(1, Math.round(value))} s`;
}

/** What an answer will take once the model is loaded. */
export function estimateAnswer(speed: Speed, readTokens: number): string {
  const time = readTokens / speed.readPerSecond + TYPICAL_ANSWER / speed.writePerSecond;
  return `${seconds(time)}: ${readTokens} tokens to read, about ${TYPICAL_ANSWER} to write`;
}

/** What an answer will take with loading. @param readTokens estimated: only the loaded model can count them. */
export function estimateStart(speed: Speed, bytes: number, readTokens: number): string {
  const time = speed.loadSeconds + readTokens / speed.readPerSecond + TYPICAL_ANSWER / speed.writePerSecond;
  return `${seconds(time)}: ${readableBytes(bytes)} to load, about ${readTokens} tokens to read and ${TYPICAL_ANSWER} to write`;
}
