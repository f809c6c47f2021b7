import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { AskEvent, AskResult } from '../../../src/protocol/ask.ts';
import { ask } from '../../../src/runtime/ask.ts';
import type { AskRequest } from '../../../src/runtime/ask-request.ts';
import { type Engine, openEngine } from '../../../src/runtime/engine.ts';
import { createScriptedProvider, type Script } from '../../../src/runtime/model/scripted-provider.ts';
import { replayTranscript } from '../../../src/runtime/transcript-replay.ts';
import { normalised } from './normalise.ts';
import { SCENARIOS } from './scenarios.ts';

const SCHEMA = `CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT, artist_id INTEGER REFERENCES artist(id), year INTEGER);
CREATE TABLE "sold copies" (album_id INTEGER REFERENCES album(id), country TEXT, copies INTEGER);
INSERT INTO artist VALUES (1, 'Ann Peebles'), (2, 'Bo Diddley'), (3, 'Can');
INSERT INTO album VALUES (1, 'Part Time Love', 1, 1970), (2, 'Tago Mago', 3, 1971), (3, 'Ege Bamyasi', 3, 1972);
INSERT INTO "sold copies" VALUES (1, 'US', 900), (2, 'DE', 500), (2, 'UK', 300), (3, 'DE', 700), (3, 'US', 9007199254740993);`;

const REQUEST: Omit<AskRequest, 'db'> = {
  question: 'How many albums are there?',
  evidence: '',
  previous: null,
  samples: 1,
  turns: 4,
  link: 'full',
  gold: null,
  timeoutMs: 20_000,
  maxRows: 100,
};

describe('golden transcripts of the agent', () => {
  let folder: string;
  let engine: Engine;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sql-agent-golden-'));
    const database = new DatabaseSync(join(folder, 'music.sqlite'));
    database.exec(SCHEMA);
    database.close();
    engine = await openEngine({ storage: join(folder, 'storage'), children: 1 });
  });

  after(async () => {
    await engine.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Asks, and gives what was told and the lines that were recorded. */
  async function record(script: Script, given: Partial<AskRequest>, stopAt: string | null) {
    const transcript = join(folder, 'transcript.jsonl');
    const events: AskEvent[] = [];
    const controller = new AbortController();
    const request: AskRequest = { ...REQUEST, db: join(folder, 'music.sqlite'), transcript, ...given };
    const onEvent = (event: AskEvent) => {
      events.push(event);
      if (event.type === stopAt) controller.abort();
    };
    const result = await ask(engine, createScriptedProvider(script), request, onEvent, controller.signal);
    return { result, events, transcript };
  }

  for (const { name, script, request, stopAt } of SCENARIOS) {
    it(`${name}: replays with the same events and result, byte for byte`, async () => {
      const { result, events, transcript } = await record(script, request ?? {}, stopAt ?? null);
      const replayed: AskEvent[] = [];
      const again: AskResult = await replayTranscript(transcript, (event) => replayed.push(event));
      assert.equal(JSON.stringify(replayed), JSON.stringify(events));
      assert.equal(JSON.stringify(again), JSON.stringify(result));
    });

    it(`${name}: is what it was`, async () => {
      const { transcript } = await record(script, request ?? {}, stopAt ?? null);
      const lines = readFileSync(transcript, 'utf8').trimEnd().split('\n');
      const text = `${lines.map((line) => JSON.stringify(normalised(JSON.parse(line), folder))).join('\n')}\n`;
      const golden = fileURLToPath(new URL(`./${name}.jsonl`, import.meta.url));
      if (process.env['UPDATE_GOLDEN']) writeFileSync(golden, text);
      assert.equal(text, readFileSync(golden, 'utf8'), 'UPDATE_GOLDEN=1 rewrites it');
    });
  }

  it('a question that fails midway replays with the same events and error', async () => {
    const transcript = join(folder, 'transcript.jsonl');
    const db = join(folder, 'gone.sqlite');
    writeFileSync(db, readFileSync(join(folder, 'music.sqlite')));
    const events: AskEvent[] = [];
    const onEvent = (event: AskEvent) => {
      events.push(event);
      if (event.type === 'token') rmSync(db, { force: true });
    };
    const request = { ...REQUEST, db, transcript };
    const provider = createScriptedProvider({ protocol: 'one_shot', replies: ['SELECT count(*) FROM album'] });
    await assert.rejects(ask(engine, provider, request, onEvent), { code: 'db_missing' });
    const replayed: AskEvent[] = [];
    await assert.rejects(
      replayTranscript(transcript, (event) => replayed.push(event)),
      { code: 'db_missing' },
    );
    assert.equal(JSON.stringify(replayed), JSON.stringify(events));
    assert.equal(events.at(-1)?.type, 'failed');
  });

  it('a transcript that the agent would not follow any more is refused at its line', async () => {
    const { transcript } = await record({ protocol: 'one_shot', replies: ['SELECT count(*) FROM album'] }, {}, null);
    const changed = readFileSync(transcript, 'utf8').replace('"sql":"SELECT count(*) FROM album"', '"sql":"SELECT 1"');
    writeFileSync(transcript, changed);
    await assert.rejects(
      replayTranscript(transcript, () => {}),
      { code: 'transcript_diverged' },
    );
  });

  it('a transcript without its end, of another version or of another kind is refused', async () => {
    const { transcript } = await record({ protocol: 'one_shot', replies: ['SELECT 1'] }, {}, null);
    const text = readFileSync(transcript, 'utf8');
    const lines = text.trimEnd().split('\n');
    for (const [content, code] of [
      [`${lines.slice(0, -1).join('\n')}\n`, 'transcript_incomplete'],
      [text.slice(0, -20), 'transcript_incomplete'],
      [text.replace('"version":1', '"version":9'), 'transcript_version'],
      [text.replace('"type":"setup"', '"type":"other"'), 'transcript_unreadable'],
      ['{"hello": 1}\n', 'transcript_unreadable'],
      ['no JSON\n', 'transcript_unreadable'],
      ['', 'transcript_unreadable'],
    ] as const) {
      writeFileSync(transcript, content);
      await assert.rejects(
        replayTranscript(transcript, () => {}),
        { code },
      );
    }
  });
});
