import { readFile } from 'node:fs/promises';
import { configMissing, configUnreadable } from './errors.ts';

/**
 * The settings as they stand in a file; nothing is checked but that they are a JSON object.
 * @throws AppError `config_missing`, `config_unreadable`
 */
export async function readSettings(path: string): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') throw configMissing(path);
    throw configUnreadable(path, `cannot be read (${error instanceof Error ? error.message : String(error)})`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw configUnreadable(path, `are not JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw configUnreadable(path, 'are not a JSON object');
  return { ...value };
}
