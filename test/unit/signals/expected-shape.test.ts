import assert from 'node:assert/strict';
import { ruledShape } from '../../../src/core/signals/expected-shape.ts';

type Rows = NonNullable<ReturnType<typeof ruledShape>>['shape']['rows'];

/** Question, rows, kinds of columns (null: nothing is said of columns). */
const SAYS: [string, Rows, string[] | null][] = [
  ['How many singers do we have?', { kind: 'one' }, ['count']],
  ['how many singers are older than 20 and live in France', { kind: 'one' }, ['count']],
  ['What is the total number of singers?', { kind: 'one' }, ['count']],
  ['Count the number of friends Kyle has.', { kind: 'one' }, ['count']],
  ['How many employees does each department have?', { kind: 'one_per', of: 'department' }, null],
  ['How many albums are there per artist?', { kind: 'one_per', of: 'artist' }, null],
  ['What is the average salary for every job title?', { kind: 'one_per', of: 'job title' }, null],
  ['What is the average age of the singers from France?', { kind: 'one' }, ['number']],
  ['Find the maximum capacity of all stadiums.', { kind: 'one' }, ['any']],
  ['What is the average, minimum, and maximum age of all singers?', { kind: 'one' }, ['any', 'any', 'any']],
  ['Show the top 3 customers by money spent.', { kind: 'exactly', n: 3 }, null],
  ['What are the names of the three cities with the largest population?', { kind: 'exactly', n: 3 }, null],
  ['Which 5 artists have the most albums?', { kind: 'exactly', n: 5 }, null],
  ['Which 3 customers spent the most?', { kind: 'exactly', n: 3 }, null],
  ['Show the names of the 3 customers who spent the most.', { kind: 'exactly', n: 3 }, null],
  ['Which artist has the most albums?', { kind: 'one' }, null],
  ['What is the name of the country with the highest population?', { kind: 'one' }, null],
  ['List the names of all singers whose age is above 20.', { kind: 'any' }, ['text']],
  ['What are the titles of the albums of AC/DC?', { kind: 'any' }, ['text']],
  ['What is the age of the oldest singer?', { kind: 'any' }, ['any']],
];

const SAYS_NOTHING = [
  '',
  'Tell me about the singers.',
  'How many singers are there and what is their average age?',
  'What are the names of singers and their ages?',
  'List the names, ages and countries of singers.',
  'Show the names of actors and the musicals that they are in.',
  'What is the average age for male and female students, for all majors?',
  'Is there a singer from France?',
  'What are the names of employees who earn less than the highest paid manager, along with their manager?',
  'What is the number of the room where student 302 was seen, and when?',
  '¿Cuántos cantantes hay?',
];

describe('the expected shape by rules over the question', () => {
  for (const [question, rows, kinds] of SAYS)
    it(`says ${rows.kind} of "${question}"`, () => {
      const shape = ruledShape(question)?.shape;
      assert.deepEqual(shape?.rows, rows);
      assert.deepEqual(shape?.columns?.map(({ kind }) => kind) ?? null, kinds);
      assert.equal(shape?.source, 'rule');
    });

  for (const question of SAYS_NOTHING)
    it(`says nothing of "${question}"`, () => assert.equal(ruledShape(question), null));

  it('does not mind case, spacing and marks', () => {
    assert.deepEqual(ruledShape('  HOW   MANY singers , really ?')?.shape.rows, undefined);
    assert.deepEqual(ruledShape('  HOW   MANY singers ?!')?.shape.rows, { kind: 'one' });
  });

  it('takes a question of a megabyte without hanging', () => {
    assert.equal(ruledShape(`which ${'very '.repeat(200_000)} singer`), null);
    ruledShape(`what is the name of the ${'a '.repeat(200_000)}`);
  });
});
