import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readModelEntry } from '../../../src/runtime/model/manifest.ts';
import { byteReporter, type PullProgress, RateMeter } from '../../../src/runtime/model/progress.ts';
import { estimateAnswer, estimateStart, learnSpeed, readSpeed, writeSpeed } from '../../../src/runtime/model/speed.ts';

const SPEED = { readPerSecond: 100, writePerSecond: 10, loadSeconds: 2 };
const TIMINGS = {
  promptTokens: 1000,
  readTokens: 1000,
  readMs: 5000,
  writtenTokens: 20,
  writeMs: 1000,
  state: 'none' as const,
};

describe('speed of a model', () => {
  let storage: string;
  beforeEach(() => {
    storage = mkdtempSync(join(tmpdir(), 'sql-agent-speed-'));
  });
  afterEach(() => rmSync(storage, { recursive: true, force: true }));

  it('is the one of the manifest until it was measured', async () => {
    const entry = readModelEntry('coder');
    assert.deepEqual(await readSpeed(storage, 'coder', entry), entry.speed);
  });

  it('is kept', async () => {
    await writeSpeed(storage, 'coder', SPEED);
    assert.deepEqual(await readSpeed(storage, 'coder', readModelEntry('coder')), SPEED);
  });

  it('is the one of the manifest where the kept one cannot be read', async () => {
    await writeSpeed(storage, 'coder', SPEED);
    writeFileSync(join(storage, 'models', 'speed-coder.json'), '{"readPerSecond":');
    const entry = readModelEntry('coder');
    assert.deepEqual(await readSpeed(storage, 'coder', entry), entry.speed);
  });

  it('moves towards what an answer took', () => {
    const learned = learnSpeed(SPEED, TIMINGS, 4000);
    assert.ok(learned.readPerSecond > 100 && learned.readPerSecond < 200);
    assert.ok(learned.writePerSecond > 10 && learned.writePerSecond < 20);
    assert.ok(learned.loadSeconds > 2 && learned.loadSeconds < 4);
  });

  it('does not move by a few tokens, or by a load that was none', () => {
    const few = { ...TIMINGS, readTokens: 10, writtenTokens: 3 };
    assert.deepEqual(learnSpeed(SPEED, few, null), SPEED);
  });

  it('says what an answer will take', () => {
    assert.equal(estimateAnswer(SPEED, 900), 'about 12 s: 900 tokens to read, about 25 to write');
    assert.match(estimateStart(SPEED, 1.1e9, 900), /^about 14 s: 1\.10 GB to load, about 900 tokens to read/);
  });
});

describe('progress of a pull', () => {
  it('has no rate at first, then one over the last seconds', () => {
    const meter = new RateMeter('downloading', 1000);
    assert.equal(meter.progress(0, 0).bytesPerSecond, null);
    assert.deepEqual(meter.progress(100, 1000), {
      step: 'downloading',
      bytes: 100,
      total: 1000,
      bytesPerSecond: 100,
      secondsLeft: 9,
    });
    for (let second = 2; second <= 10; second += 1) meter.progress(100 + 50 * (second - 1), second * 1000);
    assert.equal(meter.progress(600, 11_000).bytesPerSecond, 50);
  });

  it('measures anew after a download began again', () => {
    const meter = new RateMeter('downloading', 1000);
    meter.progress(500, 0);
    meter.progress(0, 1000);
    assert.equal(meter.progress(200, 2000).bytesPerSecond, 200);
  });

  it('is told now and then, and at the end', () => {
    const seen: PullProgress[] = [];
    const report = byteReporter('copying', 3, (progress) => seen.push(progress), 60_000);
    for (const bytes of [1, 2, 3]) report(bytes);
    assert.deepEqual(
      seen.map(({ bytes }) => bytes),
      [1, 3],
    );
  });
});
