/** What stands before the numbers of a GGUF file. */
export interface GgufHeader {
  /** The texts among its metadata, by their keys. */
  texts: ReadonlyMap<string, string>;
  /** Tensors that it names; null where the bytes end among the metadata. */
  tensors: number | null;
  /** Bytes that the whole file has at least; null where the bytes end before that is known. */
  wholeBytes: number | null;
}

/** 'GGUF', little-endian. */
const MAGIC = 0x46554747;
/** Bytes of the values of fixed size, by the number of their type (gguf.md, `gguf_metadata_value_type`). */
const SIZES = new Map([...[0, 1, 7].map((type) => [type, 1] as const), [2, 2], [3, 2], [4, 4], [5, 4], [6, 4]]);
for (const type of [10, 11, 12]) SIZES.set(type, 8);
const UINT32 = 4;
const STRING = 8;
const ARRAY = 9;
/** Where tensors begin at multiples of, when the file does not say. */
const ALIGNMENT = 32;
/** Numbers of a block and its bytes, by the number of a tensor's type (ggml.h): those that adapters come in. */
const BLOCKS = new Map([
  [0, { numbers: 1, bytes: 4 }],
  [1, { numbers: 1, bytes: 2 }],
  [8, { numbers: 32, bytes: 34 }],
  [30, { numbers: 1, bytes: 2 }],
]);

/** The bytes end before what is to be read. */
class EndOfBytes extends Error {}

class Reader {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Goes on by so many bytes. @returns where they begin */
  #pass(count: number): number {
    const from = this.at;
    if (from + count > this.#bytes.length) throw new EndOfBytes();
    this.at = from + count;
    return from;
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.#pass(4));
  }

  u64(): number {
    return Number(this.#bytes.readBigUInt64LE(this.#pass(8)));
  }

  string(): string {
    const length = this.u64();
    return this.#bytes.toString('utf8', this.#pass(length), this.at);
  }

  /** The next value where it is a text or a number of 32 bits; others are passed over. */
  value(): string | number | null {
    const type = this.u32();
    if (type === STRING) return this.string();
    if (type === UINT32) return this.u32();
    if (type === ARRAY) this.#passArray();
    else this.#pass(sizeOf(type));
    return null;
  }

  #passArray(): void {
    const [type, count] = [this.u32(), this.u64()];
    if (type === STRING) for (let item = 0; item < count; item += 1) this.string();
    else this.#pass(count * sizeOf(type));
  }
}

function sizeOf(type: number): number {
  const size = SIZES.get(type);
  if (size === undefined) throw new RangeError(`it has a value of the unknown type ${type}`);
  return size;
}

/** Reads the next tensor's entry. @returns the end of its numbers behind the beginning of all numbers */
function tensorEnd(reader: Reader): number {
  reader.string();
  const dimensions = reader.u32();
  let numbers = 1;
  for (let dimension = 0; dimension < dimensions; dimension += 1) numbers *= reader.u64();
  const block = BLOCKS.get(reader.u32());
  const size = block === undefined ? 0 : Math.ceil(numbers / block.numbers) * block.bytes;
  return reader.u64() + size;
}

/**
 * Reads the header of a GGUF file (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md).
 * @param bytes the first bytes of the file; where they end within the header, what they hold is told
 * @returns null where the file is none
 * @throws RangeError with a clause about what is wrong
 */
export function readGgufHeader(bytes: Buffer): GgufHeader | null {
  if (bytes.length < 24 || bytes.readUInt32LE(0) !== MAGIC) return null;
  const reader = new Reader(bytes);
  reader.at = 8;
  const [tensors, pairs] = [reader.u64(), reader.u64()];
  const texts = new Map<string, string>();
  let alignment = ALIGNMENT;
  let known: number | null = null;
  try {
    for (let pair = 0; pair < pairs; pair += 1) {
      const key = reader.string();
      const value = reader.value();
      if (typeof value === 'string') texts.set(key, value);
      if (key === 'general.alignment' && typeof value === 'number' && value > 0) alignment = value;
    }
    known = tensors;
    let end = 0;
    for (let tensor = 0; tensor < tensors; tensor += 1) end = Math.max(end, tensorEnd(reader));
    return { texts, tensors, wholeBytes: Math.ceil(reader.at / alignment) * alignment + end };
  } catch (error) {
    if (error instanceof EndOfBytes) return { texts, tensors: known, wholeBytes: null };
    throw error;
  }
}
