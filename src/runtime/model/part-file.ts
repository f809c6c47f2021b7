import { open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import type { WritableFile } from './install-file.ts';
import { fileStatus } from './verified.ts';

/** Where the bytes of a partial file came from. Whatever it says, the whole is checked by SHA-256 at the end. */
const PartOrigin = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('url'), url: z.string(), etag: z.nullable(z.string()) }),
  /** `pieces` whole pieces were written, `bytes` long together. */
  z.object({ kind: z.literal('pip'), pieces: z.number(), bytes: z.number() }),
]);
export type PartOrigin = z.infer<typeof PartOrigin>;

/** A file that grows until it is whole, and is kept between attempts. */
export class PartFile {
  readonly path: string;
  readonly #create: ((path: string) => Promise<WritableFile>) | undefined;

  /** @param create opens the file for appending; for tests. */
  constructor(path: string, create?: (path: string) => Promise<WritableFile>) {
    this.path = path;
    this.#create = create;
  }

  async bytes(): Promise<number> {
    return (await fileStatus(this.path))?.bytes ?? 0;
  }

  /** null where nothing is known. */
  async origin(): Promise<PartOrigin | null> {
    try {
      return PartOrigin.parse(JSON.parse(await readFile(`${this.path}.json`, 'utf8')));
    } catch {
      return null;
    }
  }

  async setOrigin(origin: PartOrigin): Promise<void> {
    await writeFile(`${this.path}.json`, JSON.stringify(origin));
  }

  async cut(bytes: number): Promise<void> {
    if ((await this.bytes()) > bytes) await truncate(this.path, bytes);
  }

  /** Opens for appending. */
  async append(): Promise<WritableFile> {
    return this.#create ? this.#create(this.path) : open(this.path, 'a');
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
    await rm(`${this.path}.json`, { force: true });
  }

  async forgetOrigin(): Promise<void> {
    await rm(`${this.path}.json`, { force: true });
  }
}
