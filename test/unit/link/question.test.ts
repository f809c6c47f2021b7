import assert from 'node:assert/strict';
import { readQuestion } from '../../../src/core/link/question.ts';

describe('a question read for linking', () => {
  it('gives the stems that mean something, of question and hint', () => {
    const { stems } = readQuestion('How many vendors are there?', 'active refers to ActiveFlag = 1');
    for (const stem of ['vendor', 'flag', '1']) assert.ok(stems.has(stem), stem);
    for (const stem of ['how', 'are', 'refer', '|']) assert.ok(!stems.has(stem), stem);
  });

  it('writes words side by side as one, but not over the edge to the hint', () => {
    const { compounds } = readQuestion('List product reviews', 'card number');
    for (const compound of ['productreviews', 'productreview', 'listproductreviews', 'cardnumber'])
      assert.ok(compounds.has(compound), compound);
    assert.ok(!compounds.has('reviewscard'));
  });

  it('knows initials, identifiers as written, and what stands in quotes or backticks', () => {
    const { initials, written } = readQuestion(
      'Who is in the hall of fame?',
      'see tmID, `Order Details`, [Unit Price]',
    );
    assert.ok(initials.has('hof'));
    for (const name of ['tmID', 'Order Details', 'Unit Price']) assert.ok(written.has(name), name);
    assert.ok(!written.has('tmid'));
  });

  it('finds names by capitals side by side, less a stop word that begins the sentence', () => {
    const names = (question: string) => readQuestion(question, '').properNames.map((name) => name.join(' '));
    assert.deepEqual(names('Which orders did Lucas Wyldbore place?'), ['luca wyldbor']);
    assert.deepEqual(names('How many orders are there? List Them.'), []);
    assert.deepEqual(names('What did RUTH MARTINEZ rent from "Acme Tools"?'), ['ruth martinez', 'acme tool']);
  });

  it('takes an empty text', () => {
    const { stems, properNames } = readQuestion('', '');
    assert.equal(stems.size, 0);
    assert.deepEqual(properNames, []);
  });
});
