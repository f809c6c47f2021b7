import * as z from 'zod/mini';
import { TrainingConfig } from '../../../src/protocol/training.ts';

/** The parts of a JSON schema (draft 2020-12) that the settings use. */
const Node = z.object({
  type: z.optional(z.union([z.string(), z.array(z.string())])),
  const: z.optional(z.unknown()),
  enum: z.optional(z.array(z.string())),
  anyOf: z.optional(z.array(z.unknown())),
  properties: z.optional(z.record(z.string(), z.unknown())),
  items: z.optional(z.unknown()),
  prefixItems: z.optional(z.array(z.unknown())),
  minimum: z.optional(z.number()),
  exclusiveMinimum: z.optional(z.number()),
  maximum: z.optional(z.number()),
  exclusiveMaximum: z.optional(z.number()),
});
type Node = z.infer<typeof Node>;

/** The schema that the settings are checked by, so that what is said to be allowed is what is allowed. */
const SETTINGS = Node.parse(z.toJSONSchema(TrainingConfig));

function nodeAt(path: readonly PropertyKey[]): Node {
  return path.reduce<Node>((node, key) => {
    const child = typeof key === 'number' ? (node.prefixItems?.[key] ?? node.items) : node.properties?.[String(key)];
    return Node.safeParse(child).data ?? {};
  }, SETTINGS);
}

function limits({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: Node): string {
  const words: string[] = [];
  if (minimum !== undefined) words.push(`at least ${minimum}`);
  if (exclusiveMinimum !== undefined) words.push(`above ${exclusiveMinimum}`);
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) words.push(`at most ${maximum}`);
  if (exclusiveMaximum !== undefined) words.push(`below ${exclusiveMaximum}`);
  return words.length === 0 ? '' : ` ${words.join(' and ')}`;
}

const TYPES: Record<string, string> = {
  string: 'a text',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  null: 'null',
};

function inWords(node: Node): string {
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.enum) return `one of ${node.enum.join(', ')}`;
  if (node.anyOf) return node.anyOf.map((child) => inWords(Node.parse(child))).join(' or ');
  if (node.prefixItems) return `a list of ${node.prefixItems.length}, each ${inWords(Node.parse(node.prefixItems[0]))}`;
  if (node.items) return `a list with at least one, each ${inWords(Node.parse(node.items))}`;
  if (node.properties) return `an object with ${Object.keys(node.properties).join(', ')}`;
  const types = Array.isArray(node.type) ? node.type : [node.type ?? ''];
  return types.map((type) => `${TYPES[type] ?? type}${type === 'null' ? '' : limits(node)}`).join(' or ');
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

/** What a setting may be, in words: "a whole number at least 1 and at most 1024". */
export function allowedAt(path: readonly PropertyKey[]): string {
  return inWords(nodeAt(path));
}

/** Settings in `value` that there are not, a sentence each: a misspelt name would otherwise train with the default. */
export function unknownSettings(value: unknown, path: readonly string[] = []): string[] {
  const { properties } = nodeAt(path);
  if (!properties || typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const full = [...path, name];
    if (Object.hasOwn(properties, name)) return unknownSettings(child, full);
    const place = path.length === 0 ? '' : ` in "${nameOf(path)}"`;
    return [`"${nameOf(full)}" is no setting;${place} there are ${Object.keys(properties).join(', ')}.`];
  });
}
