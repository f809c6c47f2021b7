import { lastPart } from './facts.ts';

const ENDING = /\.(gguf|jsonl?(\.gz)?)$/i;

/** A name for the folder of a run: what it trains on what, and when. @param time ISO 8601 */
export function runName(base: string, data: string, time: string): string {
  const [model, file] = [base, data].map((path) => lastPart(path).replace(ENDING, ''));
  const moment = time.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `${model}-${file}-${moment}`.replaceAll(/[^\w.-]+/g, '-').replace(/^[-.]+/, '');
}
