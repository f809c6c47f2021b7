import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipFile {
  name: string;
  content: Buffer;
  /** Default: deflated. */
  stored?: boolean;
  encrypted?: boolean;
  /** Instead of the right one. */
  crc?: number;
  method?: number;
}

function header(signature: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUInt32LE(signature, 0);
  return bytes;
}

/** A zip file (APPNOTE.TXT) of these files, written independently of the reader under test. */
export function makeZip(files: readonly ZipFile[], comment = ''): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, stored, encrypted, crc, method } of files) {
    const packed = stored ? content : deflateRawSync(content);
    const local = header(0x04034b50, 30);
    local.writeUInt16LE(name.length, 26);
    // An extra field that only the local header has, as some writers make it.
    local.writeUInt16LE(4, 28);
    const central = header(0x02014b50, 46);
    central.writeUInt16LE(encrypted ? 1 : 0, 8);
    central.writeUInt16LE(method ?? (stored ? 0 : 8), 10);
    central.writeUInt32LE(crc ?? crc32(content), 16);
    central.writeUInt32LE(packed.length, 20);
    central.writeUInt32LE(content.length, 24);
    central.writeUInt16LE(name.length, 28);
    central.writeUInt32LE(offset, 42);
    const body = Buffer.concat([local, Buffer.from(name), Buffer.alloc(4), packed]);
    bodies.push(body);
    directory.push(central, Buffer.from(name));
    offset += body.length;
  }
  const end = header(0x06054b50, 22);
  const length = directory.reduce((sum, bytes) => sum + bytes.length, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...bodies, ...directory, end, Buffer.from(comment)]);
}
