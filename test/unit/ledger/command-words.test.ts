import assert from 'node:assert/strict';
import { recordedWords } from '../../../src/core/ledger/command-words.ts';

const PLACES = { cwd: '/home/ada/work/main', home: '/home/ada' };

describe('the words of a command in a record', () => {
  for (const [word, recorded] of [
    ['--limit', '--limit'],
    ['dev.json', 'dev.json'],
    ['../data/dev.json', '../data/dev.json'],
    ['/home/ada/work/main/data/dev.json', 'data/dev.json'],
    ['/home/ada/work/main', '.'],
    ['/home/ada/work/data/dev.json', '../data/dev.json'],
    ['/home/ada/bird/', '~/bird'],
    ['/home/adamant/bird', '…/bird'],
    ['/srv/data sets/bird', '…/bird'],
    ['C:\\Users\\ada\\bird', '…/bird'],
    ['--db-root=/srv/bird', '--db-root=…/bird'],
    ['--limit=5', '--limit=5'],
    ['SELECT 1 / 2', 'SELECT 1 / 2'],
    ['http://localhost:8000/v1', 'http://localhost:8000/v1'],
    ['https://ada:pass@models.example/v1', 'https://models.example/v1'],
    ['--base-url=https://ada:pass@models.example/v1', '--base-url=https://models.example/v1'],
    ['--api-key=sk-1', '--api-key=***'],
  ] as const)
    it(`${word} is kept as ${recorded}`, () => {
      assert.deepEqual(recordedWords([word], PLACES), [recorded]);
    });

  it('the value behind an option for a secret is left out', () => {
    const words = ['eval', '--api-key', 'sk-1', '--token', 'abc', '--tokens', '5'];
    assert.deepEqual(recordedWords(words, PLACES), ['eval', '--api-key', '***', '--token', '***', '--tokens', '5']);
  });
});
