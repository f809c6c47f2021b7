import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { WritableFile } from '../../../src/runtime/model/install-file.ts';
import { readyModelFiles } from '../../../src/runtime/model/model-files.ts';
import { type ModelsFixture, makeModels, withCode } from './support/fixture.ts';

/** A process id that no process has: larger than Linux and Windows give out by default. */
const DEAD_PID = 999_999_999;

/** A disk that is full after `bytes`. */
function fullAfter(bytes: number): (path: string) => Promise<WritableFile> {
  return async (path) => {
    const file = await open(path, 'wx');
    let written = 0;
    return {
      write: async (piece) => {
        written += piece.length;
        if (written > bytes) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
        return file.write(piece);
      },
      sync: () => file.sync(),
      close: () => file.close(),
    };
  };
}

describe('files of a bundled model', () => {
  let models: ModelsFixture;
  beforeEach(() => {
    models = makeModels();
  });
  afterEach(() => models.remove());

  const ready = (steps: string[] = []) =>
    readyModelFiles('small', models.storage, { folder: models.folder, onStep: (text) => steps.push(text) });

  /** Nothing of the base is in the storage, neither whole nor in part, and no lock. */
  const assertNothingLeft = () =>
    assert.deepEqual(
      models.stored().filter((name) => !name.includes('verified')),
      [],
    );

  it('are joined from their parts on first use', async () => {
    const steps: string[] = [];
    const files = await ready(steps);
    assert.deepEqual(readFileSync(files.base), models.small.base);
    assert.equal(files.adapter, join(models.folder, 'small.lora.gguf'));
    assert.deepEqual(steps, ['joining the bundled model (once)', 'checking the adapter (once)']);
    assert.deepEqual(
      models.stored().filter((name) => !name.includes('verified')),
      ['models/small.gguf'],
    );
  });

  it('are not read again on later starts', async () => {
    const { base } = await ready();
    utimesSync(base, 1000, 1000);
    await ready();
    // The same size and time as before: only reading the content could tell.
    writeFileSync(base, Buffer.alloc(models.small.base.length));
    utimesSync(base, 1000, 1000);
    const steps: string[] = [];
    await ready(steps);
    assert.deepEqual(steps, []);
  });

  it('are joined anew where the joined file was changed', async () => {
    const { base } = await ready();
    writeFileSync(base, Buffer.alloc(models.small.base.length));
    utimesSync(base, 1, 1);
    await ready();
    assert.deepEqual(readFileSync(base), models.small.base);
  });

  it('are joined anew where the joined file was cut', async () => {
    const { base } = await ready();
    writeFileSync(base, models.small.base.subarray(0, 10));
    await ready();
    assert.deepEqual(readFileSync(base), models.small.base);
  });

  it('refuse a missing part by its name, and leave nothing', async () => {
    const part = join(models.folder, models.small.parts[1] ?? '');
    rmSync(part);
    await assert.rejects(
      ready(),
      (error: Error) => withCode('model_part_missing')(error) && error.message.includes(part),
    );
    assertNothingLeft();
  });

  it('refuse a part that was cut, and leave nothing', async () => {
    const part = join(models.folder, models.small.parts[2] ?? '');
    writeFileSync(part, readFileSync(part).subarray(1));
    await assert.rejects(
      ready(),
      (error: Error) => withCode('model_part_damaged')(error) && error.message.includes(part),
    );
    assertNothingLeft();
  });

  it('refuse a part with one other byte, by its name, and leave nothing', async () => {
    const part = join(models.folder, models.small.parts[0] ?? '');
    const bytes = readFileSync(part);
    bytes[500] = (bytes[500] ?? 0) ^ 1;
    writeFileSync(part, bytes);
    await assert.rejects(
      ready(),
      (error: Error) => withCode('model_part_damaged')(error) && error.message.includes(part),
    );
    assertNothingLeft();
  });

  it('leave nothing where the disk fills up while joining', async () => {
    const joining = readyModelFiles('small', models.storage, { folder: models.folder, create: fullAfter(1500) });
    await assert.rejects(joining, withCode('disk_full'));
    assertNothingLeft();
    await ready();
  });

  it('say which storage cannot be written', async () => {
    writeFileSync(models.storage, 'a file where the folder should be');
    await assert.rejects(
      ready(),
      (error: Error) => withCode('storage_unwritable')(error) && error.message.includes(models.storage),
    );
  });

  it('leave nothing when joining is cancelled', async () => {
    const controller = new AbortController();
    const joining = readyModelFiles('small', models.storage, {
      folder: models.folder,
      signal: controller.signal,
      onStep: () => controller.abort(),
    });
    await assert.rejects(joining, withCode('cancelled'));
    assertNothingLeft();
  });

  it('are joined after a process was killed while it joined', async () => {
    mkdirSync(join(models.storage, 'models'), { recursive: true });
    writeFileSync(`${models.small.basePath}.lock`, String(DEAD_PID));
    writeFileSync(`${models.small.basePath}.writing-${DEAD_PID}-00000000`, 'half');
    await ready();
    assert.deepEqual(
      models.stored().filter((name) => !name.includes('verified')),
      ['models/small.gguf'],
    );
  });

  it('refuse a damaged adapter', async () => {
    writeFileSync(join(models.folder, 'small.lora.gguf'), Buffer.alloc(500));
    await assert.rejects(ready(), withCode('model_file_damaged'));
  });

  it('refuse a missing adapter', async () => {
    rmSync(join(models.folder, 'small.lora.gguf'));
    await assert.rejects(ready(), withCode('model_adapter_missing'));
  });

  it('say how to get a model that was not pulled', async () => {
    await assert.rejects(
      readyModelFiles('coder', models.storage, { folder: models.folder }),
      (error: Error) => withCode('model_not_pulled')(error) && error.message.includes('sql-agent model pull coder'),
    );
  });
});

describe('several processes that join a model at once', () => {
  it('write the file once, and all find it whole', async () => {
    const models = makeModels(2_000_000);
    try {
      const program = new URL('./support/join.ts', import.meta.url).pathname;
      const run = () => promisify(execFile)(process.execPath, [program, models.storage, models.folder]);
      const outputs = await Promise.all([run(), run(), run()]);
      const joined = outputs.filter(({ stdout }) => stdout.includes('joining'));
      assert.equal(joined.length, 1, outputs.map(({ stdout }) => stdout).join());
      assert.deepEqual(readFileSync(models.small.basePath), models.small.base);
      assert.deepEqual(
        models.stored().filter((name) => !name.includes('verified')),
        ['models/small.gguf'],
      );
    } finally {
      models.remove();
    }
  });
});
