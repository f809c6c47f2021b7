import assert from 'node:assert/strict';
import { appendix, freeId, sameQuestion, suiteEntries, suiteLineText } from '../../../src/core/evals/suite-text.ts';

const line = { id: 'shop-2', database: 'data/shop.sqlite', question: 'How many?', sql: 'SELECT 1' };
const first = '{"id":"shop-1","database":"data/shop.sqlite","question":"Who  is first?","sql":"SELECT 0"}';

describe('the text of a suite file', () => {
  it('gains a line at its end, whether or not the last one has its line feed', () => {
    assert.equal(first + appendix(first, line), `${first}\n${suiteLineText(line)}\n`);
    assert.equal(`${first}\n${appendix(`${first}\n`, line)}`, `${first}\n${suiteLineText(line)}\n`);
    assert.equal(appendix('', line), `${suiteLineText(line)}\n`);
  });

  it('keeps the line ends that it has', () => {
    const text = `${first}\r\n${first}`;
    assert.equal(appendix(text, line), `\r\n${suiteLineText(line)}\r\n`);
  });

  it('writes the fields in order, evidence only where there is some', () => {
    assert.equal(
      suiteLineText({ sql: 'SELECT 1', question: 'a\nb', evidence: '', database: 'x.db', id: '1' }),
      '{"id":"1","database":"x.db","question":"a\\nb","sql":"SELECT 1"}',
    );
    assert.equal(JSON.parse(suiteLineText({ ...line, evidence: 'hint' })).evidence, 'hint');
  });

  it('is read line by line; what is no line of a suite is passed over', () => {
    const entries = suiteEntries(`\uFEFF${first}\r\n\r\n{"id":1}\nnot JSON\n${suiteLineText(line)}`);
    assert.deepEqual(
      entries.map(({ index, line: { id } }) => [index, id]),
      [
        [0, 'shop-1'],
        [4, 'shop-2'],
      ],
    );
  });

  it('gives an id that nothing has', () => {
    assert.equal(freeId([], 'shop'), 'shop-1');
    assert.equal(freeId(suiteEntries(`${first}\n${suiteLineText({ ...line, id: 'shop-3' })}`), 'shop'), 'shop-4');
  });

  it('knows the same question of the same database, whatever its spaces and capitals', () => {
    const entries = suiteEntries(first);
    assert.equal(sameQuestion(entries, { ...line, question: 'who is first? ' })?.line.id, 'shop-1');
    assert.equal(sameQuestion(entries, { ...line, question: 'who is last?' }), undefined);
    assert.equal(sameQuestion(entries, { ...line, question: 'Who is first?', database: 'other.sqlite' }), undefined);
  });
});
