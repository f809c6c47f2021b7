import type { Diagnosis } from '../../protocol/diagnosis.ts';
import type { Cell, JsonCell } from '../../protocol/value.ts';
import type { RowKey } from '../../runtime/diagnose/minimise-rows.ts';

/** The cell that a JSON form stands for; undefined where it was cut. */
function cellOf(json: JsonCell): Cell | undefined {
  if (json === null || typeof json === 'number' || typeof json === 'string') return json;
  if ('int' in json) return BigInt(json.int);
  if ('real' in json) return json.real === 'Infinity' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  if ('hex' in json)
    return json.hex.length === json.bytes * 2 ? Uint8Array.from(Buffer.from(json.hex, 'hex')) : undefined;
  return undefined;
}

/** The rows of tables that the first missing row consists of, or the first extra one: a search for fewer begins there. */
export function startingRows({ missing, extra }: Pick<Diagnosis, 'missing' | 'extra'>): RowKey[] {
  const [first] = [...missing, ...extra].filter(({ key }) => key.length > 0);
  return (first?.key ?? []).flatMap(({ table, columns, values }): RowKey[] => {
    const cells = values.map(cellOf);
    const isWhole = cells.every((cell): cell is Cell => cell !== undefined);
    return isWhole && cells.length > 0 ? [{ table, columns, values: cells }] : [];
  });
}
