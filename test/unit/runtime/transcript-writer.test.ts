import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TRANSCRIPT_VERSION, type TranscriptLine } from '../../../src/runtime/transcript.ts';
import { pruneTranscripts, TranscriptWriter } from '../../../src/runtime/transcript-writer.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary.ts';

const LINE: TranscriptLine = { type: 'event', event: { type: 'note', text: 'hello' } };

describe('the writer of transcripts', () => {
  let folder: TemporaryFolder;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  it('leaves a database, and any other file, as it is', () => {
    const db = folder.database('shop.sqlite', 'CREATE TABLE item (id); INSERT INTO item VALUES (1)');
    const notes = join(folder.path, 'notes.txt');
    writeFileSync(notes, 'what I must not forget');
    for (const path of [db, notes]) {
      const [content, { mtimeMs }] = [readFileSync(path), statSync(path)];
      const writer = new TranscriptWriter(path);
      writer.write(LINE);
      writer.close();
      assert.match(writer.problem ?? '', /is no transcript/);
      assert.deepEqual(readFileSync(path), content);
      assert.equal(statSync(path).mtimeMs, mtimeMs);
    }
  });

  it('overwrites an earlier transcript and an empty file', () => {
    const path = join(folder.path, 'new', 'one.jsonl');
    mkdirSync(join(folder.path, 'new'));
    writeFileSync(path, `{"type":"ask","version":${TRANSCRIPT_VERSION},"id":"${'x'.repeat(200)}"}\n`);
    for (const start of ['an earlier one', 'an empty one']) {
      if (start === 'an empty one') writeFileSync(path, '');
      const writer = new TranscriptWriter(path);
      writer.write(LINE);
      writer.close();
      assert.equal(writer.problem, null);
      assert.equal(readFileSync(path, 'utf8'), `${JSON.stringify(LINE)}\n`);
    }
  });

  it('begins a transcript so that it is known as one', () => {
    const path = join(folder.path, 'deep', 'er', 'one.jsonl');
    const first = new TranscriptWriter(path);
    first.write({ type: 'ask', version: TRANSCRIPT_VERSION } as TranscriptLine);
    first.close();
    assert.equal(new TranscriptWriter(path).problem, null);
  });

  it('does not wait for the reader of a pipe', function () {
    if (process.platform === 'win32') this.skip();
    const path = join(folder.path, 'pipe');
    execFileSync('mkfifo', [path]);
    const writer = new TranscriptWriter(path);
    assert.match(writer.problem ?? '', /is no transcript/);
  });

  it('says so where a folder takes no entries, in place of trying for ever', function () {
    if (process.platform !== 'linux') this.skip();
    assert.match(new TranscriptWriter('/proc/nothing-here/one.jsonl').problem ?? '', /ENOENT/);
  });

  it('lets stay what cannot be removed when old transcripts are', () => {
    const transcripts = join(folder.path, 'transcripts');
    mkdirSync(join(transcripts, '20260101T000000Z-aaaaaaaa.jsonl'), { recursive: true });
    pruneTranscripts(folder.path, 0);
    pruneTranscripts(join(folder.path, 'missing'), 0);
    assert.ok(statSync(transcripts).isDirectory());
  });
});
