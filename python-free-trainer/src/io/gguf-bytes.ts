/** Numbers of the types of metadata in a GGUF file. Source: the GGUF specification, `gguf_metadata_value_type`. */
const VALUE_TYPES = {
  uint8: 0,
  int8: 1,
  uint16: 2,
  int16: 3,
  uint32: 4,
  int32: 5,
  float32: 6,
  bool: 7,
  string: 8,
  array: 9,
  uint64: 10,
  int64: 11,
  float64: 12,
} as const;
type ScalarType = Exclude<keyof typeof VALUE_TYPES, 'array'>;
type Scalar = number | bigint | boolean | string;

/** A value of metadata with the type that it is written as; `copy`: the bytes of type and value out of another file. */
export type TypedValue =
  | { type: ScalarType; value: Scalar }
  | { type: 'array'; of: ScalarType; values: readonly Scalar[] }
  | { type: 'copy'; bytes: Uint8Array };

interface FixedType {
  bytes: number;
  write(into: Buffer, value: number | bigint, at: number): void;
}

const FIXED: Record<Exclude<ScalarType, 'string'>, FixedType> = {
  uint8: { bytes: 1, write: (into, value, at) => into.writeUInt8(Number(value), at) },
  int8: { bytes: 1, write: (into, value, at) => into.writeInt8(Number(value), at) },
  uint16: { bytes: 2, write: (into, value, at) => into.writeUInt16LE(Number(value), at) },
  int16: { bytes: 2, write: (into, value, at) => into.writeInt16LE(Number(value), at) },
  uint32: { bytes: 4, write: (into, value, at) => into.writeUInt32LE(Number(value), at) },
  int32: { bytes: 4, write: (into, value, at) => into.writeInt32LE(Number(value), at) },
  float32: { bytes: 4, write: (into, value, at) => into.writeFloatLE(Number(value), at) },
  bool: { bytes: 1, write: (into, value, at) => into.writeUInt8(Number(value), at) },
  uint64: { bytes: 8, write: (into, value, at) => into.writeBigUInt64LE(BigInt(value), at) },
  int64: { bytes: 8, write: (into, value, at) => into.writeBigInt64LE(BigInt(value), at) },
  float64: { bytes: 8, write: (into, value, at) => into.writeDoubleLE(Number(value), at) },
};

/** Bytes that grow, in GGUF's little endian. */
export class GgufBytes {
  #bytes = Buffer.alloc(1 << 16);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** What was written so far; valid until the next write. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #room(bytes: number): number {
    const at = this.#length;
    if (at + bytes > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(this.#bytes.length * 2, at + bytes));
      this.#bytes.copy(larger, 0, 0, at);
      this.#bytes = larger;
    }
    this.#length += bytes;
    return at;
  }

  u32(value: number): void {
    const at = this.#room(4);
    this.#bytes.writeUInt32LE(value, at);
  }

  u64(value: number | bigint): void {
    const at = this.#room(8);
    this.#bytes.writeBigUInt64LE(BigInt(value), at);
  }

  /** Length in bytes, then UTF-8 without an end mark. */
  string(text: string): void {
    const size = Buffer.byteLength(text);
    this.u64(size);
    const at = this.#room(size);
    this.#bytes.write(text, at);
  }

  raw(bytes: Uint8Array): void {
    const at = this.#room(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** Zeros up to a multiple of `alignment`. */
  pad(alignment: number): void {
    const zeros = -this.#length & (alignment - 1);
    const at = this.#room(zeros);
    this.#bytes.fill(0, at, at + zeros);
  }

  #scalar(type: ScalarType, value: Scalar): void {
    if (type === 'string') {
      this.string(String(value));
      return;
    }
    const { bytes, write } = FIXED[type];
    const at = this.#room(bytes);
    write(this.#bytes, typeof value === 'bigint' ? value : Number(value), at);
  }

  #array(of: ScalarType, values: readonly Scalar[]): void {
    this.u32(VALUE_TYPES[of]);
    this.u64(values.length);
    for (const value of values) this.#scalar(of, value);
  }

  /** A key of the metadata with its type and value. */
  entry(key: string, value: TypedValue): void {
    this.string(key);
    if (value.type === 'copy') this.raw(value.bytes);
    else {
      this.u32(VALUE_TYPES[value.type]);
      if (value.type === 'array') this.#array(value.of, value.values);
      else this.#scalar(value.type, value.value);
    }
  }
}
