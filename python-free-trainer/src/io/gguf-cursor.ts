/** Thrown by a cursor that needs more bytes than it has; never shown. */
export class NeedsMoreBytes extends Error {}

/** What is wrong with a file, in words; its caller knows the path. */
export class Malformed extends Error {}

type GgufScalar = number | bigint | boolean | string;
/** A value of metadata. Integers of 64 bits are bigints only where a number would not be exact. */
export type GgufValue = GgufScalar | readonly GgufValue[];

/** Bytes that the smallest value of each type takes, by the type's number (gguf.md, `gguf_metadata_value_type`). */
const LEAST_BYTES = [1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8] as const;
export const FLOAT32 = 6;
export const FLOAT64 = 12;
const STRING = 8;
const ARRAY = 9;
const MOST_NESTING = 4;

/** Reads GGUF's little-endian primitives one after the other from the beginning of a file. */
export class GgufCursor {
  position = 0;
  readonly #bytes: Buffer;
  /** Size of the whole file: what cannot be true of it is not waited for. */
  readonly #fileBytes: number;
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true });

  constructor(bytes: Uint8Array, fileBytes: number) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#fileBytes = fileBytes;
  }

  /** Room for `count` things of at least `leastBytes` each. */
  #need(count: number, leastBytes: number, what: string): void {
    const end = this.position + count * leastBytes;
    if (end > this.#fileBytes) throw new Malformed(`${what} would end behind the file's end (truncated?)`);
    if (end > this.#bytes.length) throw new NeedsMoreBytes();
  }

  u32(what: string): number {
    this.#need(1, 4, what);
    this.position += 4;
    return this.#bytes.readUInt32LE(this.position - 4);
  }

  /** A count, length or offset of 64 bits. */
  size(what: string): number {
    this.#need(1, 8, what);
    this.position += 8;
    const value = this.#bytes.readBigUInt64LE(this.position - 8);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new Malformed(`${what} is absurd: ${value}`);
    return Number(value);
  }

  /** The number of things that follow, each of at least `leastBytes`. */
  count(what: string, leastBytes: number): number {
    const count = this.size(what);
    if (this.position + count * leastBytes > this.#fileBytes)
      throw new Malformed(`${what} is ${count}, more than the file has room for (truncated?)`);
    return count;
  }

  string(what: string): string {
    const length = this.count(`the length of ${what}`, 1);
    this.#need(length, 1, what);
    const from = this.position;
    this.position += length;
    try {
      return this.#utf8.decode(this.#bytes.subarray(from, this.position));
    } catch {
      throw new Malformed(`${what} is not UTF-8`);
    }
  }

  /** A value of metadata of the type that stands before it. */
  value(what: string): { type: number; value: GgufValue } {
    const type = this.u32(`the type of ${what}`);
    return { type, value: this.#value(type, what, 0) };
  }

  #value(type: number, what: string, depth: number): GgufValue {
    if (type !== ARRAY) return this.#scalar(type, what);
    if (depth === MOST_NESTING) throw new Malformed(`${what} is nested too deeply`);
    const itemType = this.u32(`the type of ${what}`);
    const least = LEAST_BYTES[itemType];
    if (least === undefined) throw new Malformed(`${what} has the unknown type ${itemType}`);
    const count = this.count(`the length of ${what}`, least);
    this.#need(count, least, what);
    const items: GgufValue[] = new Array(count);
    for (let i = 0; i < count; i++) items[i] = this.#value(itemType, what, depth + 1);
    return items;
  }

  #scalar(type: number, what: string): GgufScalar {
    if (type === STRING) return this.string(what);
    const least = LEAST_BYTES[type];
    if (least === undefined) throw new Malformed(`${what} has the unknown type ${type}`);
    this.#need(1, least, what);
    const at = this.position;
    this.position += least;
    return this.#fixed(type, at, what);
  }

  #fixed(type: number, at: number, what: string): GgufScalar {
    const bytes = this.#bytes;
    switch (type) {
      case 0:
        return bytes.readUInt8(at);
      case 1:
        return bytes.readInt8(at);
      case 2:
        return bytes.readUInt16LE(at);
      case 3:
        return bytes.readInt16LE(at);
      case 4:
        return bytes.readUInt32LE(at);
      case 5:
        return bytes.readInt32LE(at);
      case 6:
        return bytes.readFloatLE(at);
      case 7:
        if (bytes.readUInt8(at) > 1) throw new Malformed(`${what} is neither true nor false`);
        return bytes.readUInt8(at) === 1;
      case 10:
        return exact(bytes.readBigUInt64LE(at));
      case 11:
        return exact(bytes.readBigInt64LE(at));
      default:
        return bytes.readDoubleLE(at);
    }
  }
}

function exact(value: bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
