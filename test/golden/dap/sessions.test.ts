import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DapClient } from '../../unit/dap/client.ts';
import { shopFolder } from '../../unit/dap/world.ts';
import { SCENARIOS } from './scenarios.ts';

describe('golden transcripts of debug sessions', () => {
  let folder: ReturnType<typeof shopFolder>;

  before(() => {
    folder = shopFolder();
  });
  after(() => folder.remove());

  for (const { name, query, gold, play } of SCENARIOS)
    it(`${name}: is what it was`, async () => {
      writeFileSync(join(folder.path, 'query.sql'), query);
      writeFileSync(join(folder.path, 'gold.sql'), gold ?? '');
      const client = new DapClient(folder.path);
      try {
        await play(client, folder.path);
      } finally {
        await client.close();
      }
      const lines = client.transcript
        .filter((message) => !isProgress(message))
        .map((message) => JSON.stringify(message));
      const text = `${lines.map((line) => normalised(line, folder.path)).join('\n')}\n`;
      const file = fileURLToPath(new URL(`./${name}.jsonl`, import.meta.url));
      if (process.env['UPDATE_GOLDEN']) writeFileSync(file, text);
      assert.equal(text, readFileSync(file, 'utf8'), 'UPDATE_GOLDEN=1 rewrites it');
    });
});

/** Whether a message says that something takes long: that depends on the machine. */
function isProgress(message: unknown): boolean {
  return JSON.stringify(message).includes('"event":"progress');
}

/** A line with the folder named; the numbers of the adapter's messages, among which progress may stand, are left out. */
function normalised(line: string, folder: string): string {
  const path = JSON.stringify(folder).slice(1, -1);
  const isOurs = !line.includes('"type":"request"');
  return line.replaceAll(path, '<folder>').replace(/"seq":\d+/, (seq) => (isOurs ? '"seq":0' : seq));
}
