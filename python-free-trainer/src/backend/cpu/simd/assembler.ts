// A small assembler for WebAssembly: what the tile kernel needs and no more. Codes are those of the core specification,
// of its vector instructions and of relaxed-simd (webassembly.github.io/spec/core/binary, github.com/WebAssembly/relaxed-simd).

/** Bytes of instructions. */
export type Code = readonly number[];

const I32 = 0x7f;
const V128 = 0x7b;
const VOID = 0x40;
const VECTOR = 0xfd;

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 0x80);
  } while (rest !== 0);
  return bytes;
}

function signed(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7) {
    const low = rest & 0x7f;
    const last = (rest >> 7 === 0 && (low & 0x40) === 0) || (rest >> 7 === -1 && (low & 0x40) !== 0);
    bytes.push(last ? low : low | 0x80);
    if (last) return bytes;
  }
}

const text = (value: string): number[] => [...unsigned(value.length), ...[...value].map((c) => c.charCodeAt(0))];
const list = (items: readonly Code[]): number[] => [...unsigned(items.length), ...items.flat()];
const section = (id: number, content: Code): number[] => [id, ...unsigned(content.length), ...content];
const vector = (code: number, ...operands: number[]): number[] => [VECTOR, ...unsigned(code), ...operands];

export const get = (local: number): Code => [0x20, ...unsigned(local)];
export const set = (local: number): Code => [0x21, ...unsigned(local)];
export const i32 = (value: number): Code => [0x41, ...signed(value)];
export const add: Code = [0x6a];
export const subtract: Code = [0x6b];
export const multiply: Code = [0x6c];

/** `local += amount`. */
export const advance = (local: number, amount: Code): Code => [...get(local), ...amount, ...add, ...set(local)];

/** Runs the body while `local` is less than `end`, tested before. Unsigned. */
export function whileLess(local: number, end: Code, body: Code): Code {
  const leave = [...get(local), ...end, 0x4f, 0x0d, ...unsigned(1)];
  return [0x02, VOID, 0x03, VOID, ...leave, ...body, 0x0c, ...unsigned(0), 0x0b, 0x0b];
}

/** Vector instructions of numbers of 4 or 8 bytes. Addresses are on the stack, offsets in bytes. */
export function vectors(width: 4 | 8) {
  const align = width === 4 ? 2 : 3;
  return {
    zero: vector(0x0c, ...new Array<number>(16).fill(0)) as Code,
    load: (offset: number): Code => vector(0x00, 4, ...unsigned(offset)),
    store: (offset: number): Code => vector(0x0b, 4, ...unsigned(offset)),
    /** One number into all lanes. */
    loadSplat: (offset: number): Code => vector(width === 4 ? 0x09 : 0x0a, align, ...unsigned(offset)),
    add: vector(width === 4 ? 0xe4 : 0xf0) as Code,
    multiply: vector(width === 4 ? 0xe6 : 0xf2) as Code,
    /** a * b + c of the three topmost, rounded once where the machine can. */
    multiplyAdd: vector(width === 4 ? 0x105 : 0x107) as Code,
  };
}

/** A module that imports a memory as `host.memory` and exports one function of integers without a result. */
export function assemble(
  name: string,
  parameters: number,
  locals: { integers: number; vectors: number },
  body: Code,
): Uint8Array<ArrayBuffer> {
  const type = [0x60, ...list(new Array<Code>(parameters).fill([I32])), 0];
  const memory = [...text('host'), ...text('memory'), 0x02, 0x00, ...unsigned(1)];
  const declared = [
    [...unsigned(locals.integers), I32],
    [...unsigned(locals.vectors), V128],
  ];
  const code = [...list(declared), ...body, 0x0b];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, list([type])),
    ...section(2, list([memory])),
    ...section(3, list([[0]])),
    ...section(7, list([[...text(name), 0x00, 0x00]])),
    ...section(10, list([[...unsigned(code.length), ...code]])),
  ]);
}
