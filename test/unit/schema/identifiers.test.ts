import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import {
  KEYWORDS,
  nameKey,
  plainIdentifier,
  promptIdentifier,
  quoteText,
} from '../../../src/core/schema/identifiers.ts';

/** Keywords that prompt format `lines-1` does not quote. */
const PLAIN_IN_PROMPTS = `always autoincrement conflict current do exclude first generated groups last materialized
  nothing nulls others returning ties`.split(/\s+/);

describe('identifiers', () => {
  it('stay plain in prompts for sixteen keywords, of which SQLite refuses three', () => {
    assert.deepEqual(
      PLAIN_IN_PROMPTS.filter((name) => promptIdentifier(name) !== name),
      [],
    );
    const quoted = PLAIN_IN_PROMPTS.filter((name) => plainIdentifier(name) !== name);
    assert.deepEqual(quoted, ['autoincrement', 'nothing', 'returning']);
  });

  it('stay plain where SQLite takes them plain', () => {
    for (const name of ['Album', '_x', 'T1', 'first', 'current', 'nulls', 'do'])
      assert.equal(plainIdentifier(name), name);
  });

  it('are quoted where they are keywords, begin with a digit or hold anything but ASCII letters, digits and _', () => {
    assert.equal(plainIdentifier('order'), '"order"');
    assert.equal(plainIdentifier('Group'), '"Group"');
    assert.equal(plainIdentifier('9lives'), '"9lives"');
    assert.equal(plainIdentifier('naïve'), '"naïve"');
    assert.equal(plainIdentifier('a b'), '"a b"');
    assert.equal(plainIdentifier(''), '""');
    assert.equal(plainIdentifier('say "hi"'), '"say ""hi"""');
  });

  it('are quoted for all 131 keywords that the prompt format quotes', () => {
    assert.equal(KEYWORDS.size, 131);
  });

  it('are taken by SQLite as they are written, as names of tables and of columns', () => {
    const database = new DatabaseSync(':memory:');
    const names = [...KEYWORDS, ...PLAIN_IN_PROMPTS, 'Straße', 'a"b', "it's", '[x]', '日本'];
    for (const name of names) {
      const written = plainIdentifier(name);
      database.exec(`CREATE TABLE ${written} (${written} TEXT); INSERT INTO ${written} VALUES ('x')`);
      const row = database.prepare(`SELECT ${written} AS value FROM ${written}`).get();
      assert.equal(row?.['value'], 'x', name);
    }
    database.close();
  });

  it('are compared as SQLite does, ASCII letters alone without case', () => {
    assert.equal(nameKey('ÄRZTE_A'), nameKey('ÄRZTE_a'));
    assert.notEqual(nameKey('Ärzte'), nameKey('ärzte'));
  });
});

describe('text literals', () => {
  it('double single quotes', () => {
    assert.equal(quoteText("it's"), "'it''s'");
  });
});
