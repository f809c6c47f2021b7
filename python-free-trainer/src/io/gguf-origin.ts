import { type AdapterOrigin, YES } from './adapter-about.ts';
import type { TypedValue } from './gguf-bytes.ts';

/** Where a GGUF file says what it was made from and on. */
export const ORIGIN_KEYS = {
  baseName: 'general.base_model.0.name',
  baseHash: 'sql_agent.base_sha256',
  dataHash: 'sql_agent.data_sha256',
  runId: 'sql_agent.run_id',
  repairs: 'sql_agent.repairs',
} as const;

/** The origin as metadata; what is not known is left out. */
export function originMetadata(origin: AdapterOrigin): [string, TypedValue][] {
  const entries: [string, TypedValue][] = [['general.base_model.count', { type: 'uint32', value: 1 }]];
  for (const part of ['baseName', 'baseHash', 'dataHash', 'runId'] as const) {
    const value = origin[part];
    if (value !== null) entries.push([ORIGIN_KEYS[part], { type: 'string', value }]);
  }
  if (origin.repairs) entries.push([ORIGIN_KEYS.repairs, { type: 'string', value: YES }]);
  return entries;
}
