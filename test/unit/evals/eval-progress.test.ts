import assert from 'node:assert/strict';
import { EvalProgress } from '../../../src/cli/eval-progress.ts';
import type { EvalEvent } from '../../../src/protocol/eval.ts';

type ItemEvent = Extract<EvalEvent, { type: 'item' }>;

function item(done: number, total: number): EvalEvent {
  const record = { outcome: done % 2 === 0 ? 'right' : 'sql_error' } as ItemEvent['record'];
  const share = { right: Math.floor(done / 2), of: done, low: 0.1, high: 0.9 };
  return { type: 'item', record, done, total, etaMs: (total - done) * 500, share };
}

class Written {
  text = '';
  readonly target;

  constructor(isTerminal: boolean) {
    this.target = {
      isTerminal,
      write: (text: string) => {
        this.text += text;
      },
      line: (text: string) => {
        this.text += `${text}\n`;
      },
    };
  }
}

describe('the progress of an evaluation', () => {
  it('is one line that changes on a terminal, and never wraps', () => {
    const written = new Written(true);
    const progress = new EvalProgress(written.target, 60, () => 0);
    for (const done of [1, 2]) progress.onEvent(item(done, 10));
    progress.onEvent({ type: 'note', text: 'A note.' });
    const lines = written.text.split('\n');
    assert.deepEqual(lines.slice(1), ['A note.', '']);
    const shown = (lines[0] ?? '').split('\r').slice(1);
    assert.match(shown[1] ?? '', /^2\/10 · EX 50\.0 % \(10\.0 to 90\.0\) · 2 items\/s · 4\.0 s left/);
    for (const line of shown) assert.ok(line.replace('\u001b[K', '').length < 60);
  });

  it('is a line for every twentieth of the items in a log, and one for the last', () => {
    const written = new Written(false);
    const progress = new EvalProgress(written.target, 80, () => 0);
    for (let done = 1; done <= 205; done += 1) progress.onEvent(item(done, 205));
    const lines = written.text.trimEnd().split('\n');
    assert.equal(lines.length, 19);
    assert.match(lines.at(-1) ?? '', /^205\/205 · EX 49\.8 % \(10\.0 to 90\.0\) · 102 right, 103 SQL error$/);
  });

  it('is a line every five seconds in a log where items take long', () => {
    const written = new Written(false);
    let now = 0;
    const progress = new EvalProgress(written.target, 80, () => now);
    for (let done = 1; done <= 10; done += 1) {
      now += 1700;
      progress.onEvent(item(done, 1000));
    }
    assert.equal(written.text.trimEnd().split('\n').length, 3);
  });

  it('counts what an earlier part of the run found', () => {
    const written = new Written(false);
    const progress = new EvalProgress(written.target, 80, () => 0);
    const outcomes = {
      right: 4,
      wrong_rows: 1,
      sql_error: 0,
      timeout: 0,
      no_sql: 0,
      provider_error: 0,
      gold_failed: 0,
    };
    const config = { model: { name: 'm' }, dataset: { name: 'd.json' } } as Extract<
      EvalEvent,
      { type: 'started' }
    >['config'];
    progress.onEvent({ type: 'started', run_id: 'r', folder: '/f', total: 6, resumed: 5, outcomes, config });
    progress.onEvent(item(6, 6));
    assert.match(written.text, /m on 6 items of d\.json, 5 of them finished before; kept in \/f/);
    assert.match(written.text, /5 right, 1 wrong rows\n$/);
  });
});
