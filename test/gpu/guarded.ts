// A GPU that watches over its memory: around every piece, and in pieces that were given back, lie bytes that nobody may write.

import { Device, type Grid } from '../../python-free-trainer/src/gpu/device.ts';
import type { Memory } from '../../python-free-trainer/src/gpu/memory.ts';
import type { Multiplier, Product } from '../../python-free-trainer/src/gpu/product.ts';

/** All bits: NaN as a float and as a bfloat16, -1 as an index. Kernels make other NaN (0x7fff…). */
const POISON = 0xffffffff;
/** Bytes between pieces: more than a row of the small shapes. */
const GUARD = 16 * 1024;
const ALIGNMENT = 256;
const ARENA = 256 * 2 ** 20;
/** Larger pieces (workspaces of libraries) are the driver's alone. */
const LARGEST = 16 * 2 ** 20;

interface Piece {
  at: number;
  bytes: number;
  /** Bytes up to the guard behind it. */
  room: number;
  isLive: boolean;
}

/** A write to where nobody may write. */
export interface Damage {
  /** The kernel, product or copy after which it was found. */
  after: string;
  /** Where: bytes behind the end of the piece before it, or into one that was given back. */
  place: string;
}

/** A GPU that remembers which kernels it ran and, with guards, looks after each whether memory beside its pieces was written. */
export class WatchedDevice extends Device {
  readonly launched = new Set<string>();
  readonly damages: Damage[] = [];
  readonly #base: number;
  readonly #pieces: Piece[] = [];
  readonly #resting = new Map<number, Piece[]>();
  readonly #byPointer = new Map<number, Piece>();
  #top = GUARD;
  #seen = Buffer.alloc(0);

  /** @param hasGuards false: every piece is an allocation of its own, for tools that watch those */
  constructor(hasGuards: boolean) {
    super();
    this.#base = hasGuards ? super.allocate(ARENA) : 0;
    if (hasGuards) this.#poison(0, ARENA);
  }

  override launch(name: string, grid: Grid, ...args: readonly (number | null)[]): void {
    super.launch(name, grid, ...args);
    this.launched.add(name);
    this.look(name);
  }

  /** A piece full of NaN. */
  override allocate(bytes: number): number {
    if (this.#base === 0 || bytes > LARGEST) return super.allocate(bytes);
    const room = Math.ceil(Math.max(bytes, 1) / ALIGNMENT) * ALIGNMENT;
    const piece = this.#resting.get(room)?.pop() ?? this.#piece(room);
    piece.bytes = bytes;
    piece.isLive = true;
    return this.#base + piece.at;
  }

  override free(pointer: number): void {
    const piece = this.#byPointer.get(pointer);
    if (piece === undefined) {
      super.free(pointer);
      return;
    }
    if (!piece.isLive) throw new Error('a piece is given back twice');
    piece.isLive = false;
    this.#poison(piece.at, piece.room);
    const resting = this.#resting.get(piece.room) ?? [];
    this.#resting.set(piece.room, [...resting, piece]);
  }

  #piece(room: number): Piece {
    const piece = { at: this.#top, bytes: room, room, isLive: true };
    this.#top += room + GUARD;
    if (this.#top > ARENA) throw new Error('the arena of guarded pieces is full');
    this.#pieces.push(piece);
    this.#byPointer.set(this.#base + piece.at, piece);
    return piece;
  }

  #poison(at: number, bytes: number): void {
    this.call('cuMemsetD32Async', this.#base + at, POISON, Math.ceil(bytes / 4), this.stream);
  }

  /** Looks at all that lies outside of the pieces. @param what was done last */
  look(what: string): void {
    if (this.#base === 0) return;
    if (this.#seen.length < this.#top) this.#seen = Buffer.alloc(2 * this.#top);
    this.download(this.#seen.subarray(0, this.#top), this.#base);
    let from = 0;
    for (const piece of [...this.#pieces.filter(({ isLive }) => isLive), { at: this.#top, bytes: 0 }]) {
      const written = firstWritten(this.#seen.subarray(from, piece.at));
      if (written !== null) {
        this.damages.push({ after: what, place: this.#placeOf(from + written) });
        this.#poison(from, piece.at - from);
      }
      from = piece.at + piece.bytes;
    }
  }

  #placeOf(at: number): string {
    const index = this.#pieces.findLastIndex((piece) => piece.at <= at);
    const [before, next] = [this.#pieces[index], this.#pieces[index + 1]];
    if (before !== undefined && !before.isLive && at < before.at + before.room)
      return `byte ${at - before.at} of a piece that was given back`;
    const [end, start] = [before === undefined ? 0 : before.at + before.bytes, next?.at ?? this.#top];
    return at - end <= start - at ? `${at - end} bytes behind a piece's end` : `${start - at} bytes before a piece`;
  }
}

const UNTOUCHED = Buffer.alloc(GUARD, 0xff);

/** Where bytes are no longer what a guard consists of; null: nowhere. */
function firstWritten(bytes: Buffer): number | null {
  for (let at = 0; at < bytes.length; at += GUARD) {
    const part = bytes.subarray(at, at + GUARD);
    if (!part.equals(UNTOUCHED.subarray(0, part.length))) return at + part.findIndex((byte) => byte !== 0xff);
  }
  return null;
}

/** Memory that comes from a device piece by piece, just as large as it is asked for. */
export class PieceMemory implements Memory {
  readonly #device: Device;

  constructor(device: Device) {
    this.#device = device;
  }

  take(bytes: number): number {
    return this.#device.allocate(bytes);
  }

  give(pointer: number): void {
    this.#device.free(pointer);
  }
}

/** Products after each of which the device looks at its memory. */
export function watched(products: Multiplier, device: WatchedDevice): Multiplier {
  return {
    name: products.name,
    workspace: products.workspace,
    multiply(product: Product) {
      products.multiply(product);
      const { layout, m, n, k, c, beta } = product;
      device.look(`product ${layout} ${m}x${n}x${k} to ${c.type}${beta === 0 ? '' : ', added'}`);
    },
    close: () => products.close(),
  };
}
