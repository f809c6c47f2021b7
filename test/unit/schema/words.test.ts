import assert from 'node:assert/strict';
import {
  codePoints,
  collapseSpaces,
  compareCodePoints,
  foldCase,
  isBlank,
  isDigits,
  wordsOf,
} from '../../../src/core/schema/words.ts';

/** Text and its full case folding by CaseFolding.txt of Unicode. */
const FOLDED: [string, string][] = [
  ['Straße', 'strasse'],
  ['STRASSE', 'strasse'],
  ['GROẞ', 'gross'],
  ['ΣΊΣΥΦΟΣ', 'σίσυφοσ'],
  ['Σίσυφος', 'σίσυφοσ'],
  ['İstanbul', 'i\u0307stanbul'],
  ['ısı', 'ısı'],
  ['ﬁne ﬀ ﬆ', 'fine ff st'],
  ['ŉ', 'ʼn'],
  ['ΐ', 'ι\u0308\u0301'],
  ['ᾳ ᾼ', 'αι αι'],
  ['ſ K Å µ', 's k å μ'],
  ['ǅ', 'ǆ'],
  ['ꭰ Ꭰ ᏸ', 'Ꭰ Ꭰ Ᏸ'],
  ['և', 'եւ'],
  ['𐐀', '𐐨'],
  ['日本 العربية', '日本 العربية'],
];

describe('case folding', () => {
  for (const [text, folded] of FOLDED)
    it(`folds ${text} to ${folded}`, () => {
      assert.equal(foldCase(text), folded);
    });

  it('changes nothing that is already folded, and folds every pair of cases alike, for every script with cases', () => {
    // Letters with cases end below U+1F000.
    for (let code = 0; code < 0x1f000; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      const folded = foldCase(character);
      assert.equal(foldCase(folded), folded, `U+${code.toString(16)}`);
      // The upper case of the dotless i is I; folding without Turkic rules keeps the two apart.
      if (character !== 'ı') assert.equal(foldCase(character.toUpperCase()), folded, `U+${code.toString(16)}`);
    }
  });

  it('does not normalise', () => {
    assert.notEqual(foldCase('é'), foldCase('e\u0301'));
  });
});

describe('words', () => {
  it('are runs of letters and numbers; an underscore, a mark and a symbol end them', () => {
    assert.deepEqual(wordsOf("O'Neil & Söhne_GmbH 3.14 C++"), ['o', 'neil', 'söhne', 'gmbh', '3', '14', 'c']);
    assert.deepEqual(wordsOf('e\u0301 x² Ⅷ ٣'), ['e', 'x²', 'ⅷ', '٣']);
    assert.deepEqual(wordsOf(' \t\u200b😀'), []);
  });
});

describe('white space', () => {
  it('is collapsed to one space and trimmed, also where it is not ASCII', () => {
    assert.equal(collapseSpaces('\u3000 a \n\n b\u0085\u00a0c\u001c'), 'a b c');
    assert.equal(collapseSpaces(''), '');
  });

  it('alone is blank; a zero-width space is not white space', () => {
    assert.ok(isBlank(' \t\u2003\u001f'));
    assert.ok(isBlank(''));
    assert.ok(!isBlank('\u200b'));
  });

  it('in a megabyte of text costs no more than the text is long', () => {
    assert.equal(collapseSpaces(`a${' '.repeat(1_000_000)}b`), 'a b');
  });
});

describe('digits', () => {
  it('are those of every script, and superscripts, but no fractions and no Roman numbers', () => {
    for (const text of ['0', ' 1984 ', '٣٤٥', 'x²'.slice(1), '①']) assert.ok(isDigits(text), text);
    for (const text of ['', ' ', '3.14', '½', 'Ⅷ', '1a']) assert.ok(!isDigits(text), text);
  });
});

describe('code points', () => {
  it('are counted, not UTF-16 units', () => {
    assert.equal(codePoints('a😀é'), 3);
    assert.equal(codePoints('\ud83d'), 1);
  });

  it('order texts, so that emoji stand after every character below U+10000', () => {
    assert.deepEqual(['😀', '\uff21', 'b', 'a', 'ab'].sort(compareCodePoints), ['a', 'ab', 'b', '\uff21', '😀']);
  });
});
