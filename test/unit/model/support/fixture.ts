import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../../../src/protocol/errors.ts';

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function fileRecord(file: string, bytes: Uint8Array): { file: string; bytes: number; sha256: string } {
  return { file, bytes: bytes.length, sha256: sha256(bytes) };
}

/** A models folder with a bundled model in three parts and one to pull, both of random bytes, and an empty storage. */
export interface ModelsFixture {
  root: string;
  /** Like the program's `models/`. */
  folder: string;
  storage: string;
  small: { base: Buffer; adapter: Buffer; parts: string[]; basePath: string };
  coder: { base: Buffer; pieces: Buffer[]; adapter: Buffer; basePath: string; adapterPath: string };
  /** All files in the storage, relative, sorted. */
  stored(): string[];
  remove(): void;
}

const COMMON = {
  license: 'Apache-2.0',
  source: 'test',
  accuracy: 'never measured',
  contextTokens: 1024,
  stateBytesPerToken: 1024,
  chunkTokens: 32,
  speed: { readPerSecond: 100, writePerSecond: 10, loadSeconds: 1 },
};

/** @param partBytes size of each of the three parts; `coder` has the same size. */
export function makeModels(partBytes = 1000): ModelsFixture {
  const root = mkdtempSync(join(tmpdir(), 'sql-agent-models-'));
  const folder = join(root, 'models');
  const storage = join(root, 'storage');
  mkdirSync(folder);
  const parts = [0, 1, 2].map(() => randomBytes(partBytes));
  const base = Buffer.concat(parts);
  const names = parts.map((_, index) => `small.gguf.part0${index}`);
  const [smallAdapter, coderAdapter] = [randomBytes(500), randomBytes(600)];
  const pieces = Array.from({ length: 11 }, (_, index) => randomBytes(100 + index));
  const coderBase = Buffer.concat(pieces);
  for (const [index, part] of parts.entries()) writeFileSync(join(folder, names[index] ?? ''), part);
  writeFileSync(join(folder, 'small.lora.gguf'), smallAdapter);
  writeFileSync(join(folder, 'coder.lora.gguf'), coderAdapter);
  const manifest = {
    format: 1,
    models: {
      small: {
        title: 'small',
        ...COMMON,
        base: {
          ...fileRecord('small.gguf', base),
          from: { kind: 'parts', parts: parts.map((part, index) => fileRecord(names[index] ?? '', part)) },
        },
        adapter: fileRecord('small.lora.gguf', smallAdapter),
      },
      coder: {
        title: 'coder',
        ...COMMON,
        base: {
          ...fileRecord('coder.gguf', coderBase),
          from: {
            kind: 'download',
            url: 'http://127.0.0.1:9/coder.gguf',
            wheels: { package: 'piece', version: '0.2.0', count: pieces.length },
          },
        },
        adapter: fileRecord('coder.lora.gguf', coderAdapter),
      },
    },
  };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  return {
    root,
    folder,
    storage,
    small: { base, adapter: smallAdapter, parts: names, basePath: join(storage, 'models', 'small.gguf') },
    coder: {
      base: coderBase,
      pieces,
      adapter: coderAdapter,
      basePath: join(storage, 'models', 'coder.gguf'),
      adapterPath: join(folder, 'coder.lora.gguf'),
    },
    stored: () => filesIn(storage),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** All files below a folder, relative, sorted; none where it does not exist. */
export function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .sort();
  } catch {
    return [];
  }
}

/** For `assert.rejects`: an AppError with this code. */
export function withCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof AppError && error.code === code;
}
