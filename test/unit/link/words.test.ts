import assert from 'node:assert/strict';
import { relatedWords } from '../../../src/core/link/related-words.ts';
import { isStopWord, joinWords, similarity, splitWords, stem } from '../../../src/core/link/words.ts';

describe('words of names and questions', () => {
  it('end at underscores, changes of case and digits', () => {
    const cases: Record<string, string[]> = {
      order_date: ['order', 'date'],
      orderDate: ['order', 'date'],
      OrderDATE: ['order', 'date'],
      HTTPServer: ['http', 'server'],
      BusinessEntityID: ['business', 'entity', 'id'],
      'Order Details (old)': ['order', 'details', 'old'],
      address2: ['address', '2'],
      '2ndName': ['2', 'nd', 'name'],
      __x__: ['x'],
      '': [],
    };
    for (const [name, words] of Object.entries(cases)) assert.deepEqual(splitWords(name), words, name);
  });

  it('are case-folded in every script, and split there alike', () => {
    assert.deepEqual(splitWords('StraßenName'), ['strassen', 'name']);
    assert.deepEqual(splitWords('ÉtatCivil_2'), ['état', 'civil', '2']);
    assert.deepEqual(splitWords('ИмяКлиента'), ['имя', 'клиента']);
  });

  it('are pairs of characters where a script has no spaces', () => {
    assert.deepEqual(splitWords('客户'), ['客户']);
    assert.deepEqual(splitWords('客户订单'), ['客户', '户订', '订单']);
  });

  it('make one word of every spelling of a name', () => {
    for (const name of ['order_date', 'OrderDate', 'ORDER DATE', 'orderdate'])
      assert.equal(joinWords(name, splitWords(name)), 'orderdate');
    assert.equal(joinWords('Straßen Name', splitWords('Straßen Name')), 'strassenname');
  });

  it('share a stem with their plural and verb forms', () => {
    const groups = [
      ['city', 'cities'],
      ['box', 'boxes'],
      ['class', 'classes'],
      ['vendor', 'vendors'],
      ['ship', 'ships', 'shipped', 'shipping'],
      ['review', 'reviews', 'reviewed'],
      ['write', 'wrote', 'written', 'writing'],
      ['person', 'people'],
      ['pay', 'paid'],
    ];
    for (const group of groups) assert.equal(new Set(group.map(stem)).size, 1, `${group} -> ${group.map(stem)}`);
    for (const word of ['status', 'bus', 'address', 'speed', 'id', 'gas']) assert.equal(stem(word), word);
  });

  it('resemble one another by a common beginning, or one inside the other', () => {
    assert.ok(similarity('rent', 'rental') >= 0.6);
    assert.ok(similarity('agricultur', 'agricultural') > 0.8);
    assert.ok(similarity('business', 'businessentitiid') > 0.4);
    assert.equal(similarity('art', 'artist'), 0, 'too short');
    assert.equal(similarity('category', 'catalogue'), 0);
    assert.equal(similarity('rate', 'separate'), 0, 'four letters inside a word mean nothing');
  });

  it('are related where people say another word than schemas do, both ways', () => {
    assert.ok(relatedWords(stem('movies')).has(stem('film')));
    assert.ok(relatedWords(stem('film')).has(stem('movies')));
    assert.equal(relatedWords('xylophon').size, 0);
  });

  it('stop where they name no part of a schema', () => {
    for (const word of ['the', 'refers', 'how', 'max']) assert.ok(isStopWord(word));
    for (const word of ['order', 'name', 'date', 'group']) assert.ok(!isStopWord(word));
  });
});
