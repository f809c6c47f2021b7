import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { resultsFolder } from '../../../src/runtime/evals/results-folder.ts';

describe('the results folder', () => {
  const cwd = resolve('/somewhere');

  it('is what was named, else what the environment names, else results, each from the working folder', () => {
    const env = { SQL_AGENT_RESULTS: 'of/all' };
    assert.equal(resultsFolder('mine', env, cwd), resolve(cwd, 'mine'));
    assert.equal(resultsFolder(resolve('/else'), env, cwd), resolve('/else'));
    assert.equal(resultsFolder(undefined, env, cwd), resolve(cwd, 'of/all'));
    assert.equal(resultsFolder(undefined, {}, cwd), resolve(cwd, 'results'));
    assert.equal(resultsFolder(undefined, { SQL_AGENT_RESULTS: '' }, cwd), resolve(cwd, 'results'));
  });
});
