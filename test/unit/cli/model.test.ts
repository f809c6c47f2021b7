import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readModelEntry } from '../../../src/runtime/model/manifest.ts';
import { recordVerified } from '../../../src/runtime/model/verified.ts';
import { type CliResult, sqlAgent } from '../../support/cli.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';

const coder = readModelEntry('coder');

describe('sql-agent model', () => {
  let folder: TemporaryFolder;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  const model = (...words: string[]): Promise<CliResult> =>
    sqlAgent(['model', ...words], { env: { SQL_AGENT_HOME: folder.path } });

  it('lists what there is, how good it is and which one is used', async () => {
    const { code, stdout } = await model('list');
    assert.equal(code, 0);
    assert.match(stdout, /^small \(used by default\): ready \(comes with the program/m);
    assert.match(stdout, /^coder: not here$/m);
    assert.match(stdout, /Apache-2\.0/);
  });

  it('lists as one JSON object', async () => {
    const { stdout } = await model('list', '--json');
    const { status, storage, models } = JSON.parse(stdout);
    assert.equal(status, 'ok');
    assert.equal(storage, folder.path);
    assert.deepEqual(
      models.map(({ name, state, isDefault }: Record<string, unknown>) => [name, state, isDefault]),
      [
        ['small', 'bundled', true],
        ['coder', 'absent', false],
      ],
    );
  });

  it('shows a pull that was interrupted', async () => {
    mkdirSync(join(folder.path, 'models'));
    writeFileSync(join(folder.path, 'models', 'qwen2.5-coder-1.5b-instruct-q4_k_m.gguf.part'), Buffer.alloc(2_500_000));
    assert.match((await model('list')).stdout, /^coder: partly here \(2\.5 MB of 1\.15 GB\)$/m);
  });

  it('verifies the bundled model, part by part', async () => {
    const { code, stdout } = await model('verify', 'small');
    assert.equal(code, 0);
    assert.equal(stdout.match(/: ok$/gm)?.length, 4);
  });

  it('says how to get a model that was never pulled when asked to verify it', async () => {
    const { code, stdout } = await model('verify', 'coder', '--json');
    assert.equal(code, 1);
    const { status, code: reason, message } = JSON.parse(stdout);
    assert.deepEqual([status, reason], ['error', 'model_not_pulled']);
    assert.match(message, /sql-agent model pull coder/);
  });

  it('names a damaged file, and fails', async () => {
    const file = join(folder.path, 'models', 'qwen2.5-coder-1.5b-instruct-q4_k_m.gguf');
    mkdirSync(join(folder.path, 'models'));
    writeFileSync(file, 'damaged');
    const { code, stdout } = await model('verify', 'coder', '--json');
    assert.equal(code, 1);
    const answer = JSON.parse(stdout);
    assert.equal(answer.code, 'model_file_damaged');
    assert.equal(answer.files[0].path, file);
    assert.match(answer.files[0].problem, /7 bytes instead of 1117320768/);
  });

  it('removes what the storage holds', async () => {
    const file = join(folder.path, 'models', 'smollm2-135m-instruct.Q4_1.gguf');
    mkdirSync(join(folder.path, 'models'));
    writeFileSync(file, Buffer.alloc(5000));
    const { code, stdout } = await model('remove', 'small', '--json');
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), { status: 'ok', name: 'small', removed: [file], bytes: 5000 });
    assert.equal(existsSync(file), false);
  });

  it('does not pull a model that comes with the program', async () => {
    const { code, stderr } = await model('pull', 'small');
    assert.equal(code, 1);
    assert.match(stderr, /comes with the program/);
  });

  describe('pull coder from an address', () => {
    let server: Server;
    let url: string;
    let answer: (response: ServerResponse) => void;
    beforeEach(async () => {
      server = createServer((_request, response) => answer(response));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const { file, sha256, bytes } = coder.adapter;
      const adapter = join(folder.path, 'models', file);
      mkdirSync(join(folder.path, 'models'));
      // Stands in the place of the adapter and is recorded as checked: only the base is of interest here.
      writeFileSync(adapter, Buffer.alloc(bytes));
      await recordVerified(folder.path, adapter, sha256);
    });
    afterEach(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });

    it('refuses another file, and keeps nothing', async () => {
      answer = (response) => response.end('<html>');
      const { code, stdout } = await model('pull', 'coder', '--url', url, '--json');
      assert.equal(code, 1);
      assert.equal(JSON.parse(stdout).code, 'download_wrong_file');
      assert.match((await model('list')).stdout, /^coder: not here$/m);
    });

    it('keeps what came when Ctrl-C ends it', async () => {
      const part = join(folder.path, 'models', `${coder.base.file}.part`);
      answer = (response) => response.writeHead(200, { 'content-length': coder.base.bytes }).write(Buffer.alloc(3000));
      const watcher = setInterval(() => {
        if (!existsSync(part) || statSync(part).size !== 3000) return;
        clearInterval(watcher);
        child?.kill('SIGINT');
      }, 20);
      let child: ChildProcess | null = null;
      const onStart = (started: ChildProcess) => {
        child = started;
      };
      const words = ['model', 'pull', 'coder', '--url', url, '--json'];
      const { code, stdout } = await sqlAgent(words, { env: { SQL_AGENT_HOME: folder.path }, onStart });
      clearInterval(watcher);
      assert.equal(code, 130);
      assert.equal(JSON.parse(stdout).status, 'cancelled');
      assert.equal(statSync(part).size, 3000);
      assert.match((await model('list')).stdout, /^coder: partly here/m);
    });
  });

  for (const [title, words] of [
    ['no action', []],
    ['an unknown action', ['frobnicate']],
    ['no name to pull', ['pull']],
    ['an unknown name', ['remove', 'huge']],
    ['two sources', ['pull', 'coder', '--url', 'http://127.0.0.1/', '--from', 'pip']],
    ['an address that is none', ['pull', 'coder', '--url', 'ftp://127.0.0.1/']],
    ['an option of another action', ['list', '--from', 'pip']],
    ['a word too many', ['verify', 'small', 'coder']],
  ] as const)
    it(`takes ${title} for wrong usage`, async () => {
      const { code, stdout } = await model(...words, '--json');
      assert.equal(code, 2);
      assert.equal(JSON.parse(stdout).status, 'usage');
    });

  it('explains itself', async () => {
    const { code, stdout } = await model('--help');
    assert.equal(code, 0);
    assert.match(stdout, /--from pip/);
  });
});
