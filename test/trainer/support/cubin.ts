/** What a cubin's own tables say of a kernel. */
export interface CubinKernel {
  registers: number;
  /** Bytes of the stack frame of a thread, where spilled registers lie. */
  stack: number;
  /** Bytes of static shared memory of a block, without what the system keeps for itself. */
  shared: number;
  /** Offset and bytes of each parameter, in order. */
  parameters: { offset: number; bytes: number }[];
  /** Bytes of all parameters. */
  parameterBytes: number;
}

interface Section {
  name: string;
  bytes: Buffer;
  /** Of sections that take no room in the file too. */
  size: number;
}

interface Attribute {
  code: number;
  value: Buffer;
}

/** Attributes of `.nv.info` sections (named so by `cuobjdump -elf`). */
const FRAME_SIZE = 0x11;
const KPARAM_INFO = 0x17;
const CBANK_PARAM_SIZE = 0x19;
const REGCOUNT = 0x2f;
/** How an attribute keeps its value: behind its own size, or in its 16 bits. */
const SIZED = 4;
/** An ELF section that has a size and no bytes. */
const NOBITS = 8;
/** A block's shared memory begins with so many bytes of the system's in cubins from this generation on. */
const RESERVED = { from: 90, bytes: 1024 };

/**
 * Reads the kernels of a cubin: an ELF64 file whose sections `.nv.info` and `.nv.info.KERNEL` hold attributes.
 * @param generation that it is compiled for: 90 for sm_90
 * @throws Error where it is no ELF64 file
 */
export function readCubin(file: Buffer, generation: number): Map<string, CubinKernel> {
  const sections = readSections(file);
  const symbols = readSymbols(sections);
  const common = attributes(sections.find(({ name }) => name === '.nv.info')?.bytes ?? Buffer.alloc(0));
  const perKernel = (code: number) => new Map(pairs(common, code).map(([symbol, value]) => [symbols[symbol], value]));
  const [registers, stack] = [perKernel(REGCOUNT), perKernel(FRAME_SIZE)];
  const reserved = generation >= RESERVED.from ? RESERVED.bytes : 0;
  const kernels = new Map<string, CubinKernel>();
  for (const { name, bytes } of sections) {
    const kernel = /^\.nv\.info\.(\w+)$/.exec(name)?.[1];
    if (kernel === undefined) continue;
    const own = attributes(bytes);
    const shared = sections.find((section) => section.name === `.nv.shared.${kernel}`)?.size ?? reserved;
    kernels.set(kernel, {
      registers: registers.get(kernel) ?? 0,
      stack: stack.get(kernel) ?? 0,
      shared: shared - reserved,
      parameters: parametersOf(own),
      parameterBytes: own.find(({ code }) => code === CBANK_PARAM_SIZE)?.value.readUInt16LE(0) ?? 0,
    });
  }
  return kernels;
}

function readSections(file: Buffer): Section[] {
  if (file.toString('latin1', 0, 4) !== '\x7fELF' || file[4] !== 2) throw new Error('no ELF64 file');
  const [start, size, count, names] = [
    Number(file.readBigUInt64LE(0x28)),
    file.readUInt16LE(0x3a),
    file.readUInt16LE(0x3c),
    file.readUInt16LE(0x3e),
  ];
  const headers = Array.from({ length: count }, (_, index) => file.subarray(start + index * size));
  const contents = headers.map((header) => {
    const [offset, bytes] = [Number(header.readBigUInt64LE(0x18)), Number(header.readBigUInt64LE(0x20))];
    return header.readUInt32LE(4) === NOBITS ? Buffer.alloc(0) : file.subarray(offset, offset + bytes);
  });
  const table = contents[names] ?? Buffer.alloc(0);
  return headers.map((header, index) => ({
    name: text(table, header.readUInt32LE(0)),
    bytes: contents[index] ?? Buffer.alloc(0),
    size: Number(header.readBigUInt64LE(0x20)),
  }));
}

/** Names of the symbols, in order. */
function readSymbols(sections: readonly Section[]): string[] {
  const bytes = (wanted: string) => sections.find(({ name }) => name === wanted)?.bytes ?? Buffer.alloc(0);
  const [symbols, names] = [bytes('.symtab'), bytes('.strtab')];
  return Array.from({ length: symbols.length / 24 }, (_, index) => text(names, symbols.readUInt32LE(index * 24)));
}

function text(table: Buffer, at: number): string {
  return table.toString('latin1', at, table.indexOf(0, at));
}

function attributes(bytes: Buffer): Attribute[] {
  const found: Attribute[] = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const [format, code, size] = [bytes[at], bytes[at + 1] ?? 0, bytes.readUInt16LE(at + 2)];
    const end = at + 4 + (format === SIZED ? size : 0);
    found.push({ code, value: format === SIZED ? bytes.subarray(at + 4, end) : bytes.subarray(at + 2, at + 4) });
    at = end;
  }
  return found;
}

/** Values of attributes that each belong to a symbol: its number and the value. */
function pairs(list: readonly Attribute[], wanted: number): [number, number][] {
  return list
    .filter(({ code }) => code === wanted)
    .map(({ value }): [number, number] => [value.readUInt32LE(0), value.readUInt32LE(4)]);
}

/** Of each parameter its number, offset and (from bit 18 of the last word on) its bytes. */
function parametersOf(list: readonly Attribute[]): { offset: number; bytes: number }[] {
  return list
    .filter(({ code }) => code === KPARAM_INFO)
    .map(({ value }) => ({
      ordinal: value.readUInt16LE(4),
      offset: value.readUInt16LE(6),
      bytes: value.readUInt32LE(8) >>> 18,
    }))
    .sort((a, b) => a.ordinal - b.ordinal)
    .map(({ offset, bytes }) => ({ offset, bytes }));
}
