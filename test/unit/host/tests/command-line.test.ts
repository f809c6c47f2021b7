import assert from 'node:assert/strict';
import { verb } from '../../../../src/cli/verbs/eval.ts';
import { type EvalCall, evalEnvironment, evalWords } from '../../../../src/host/tests/command-line.ts';

const CALL: EvalCall = {
  dataset: '/w/dev.json',
  databases: '/w/databases',
  ids: '/tmp/ids.txt',
  results: '/w/results',
  model: { provider: 'openai', address: 'http://127.0.0.1:1/v1', name: 'qwen' },
  settings: { link: 'auto', turns: 4, samples: 3, timeoutMs: 30_000 },
};

describe('the command line of an evaluation', () => {
  it('has options that the verb knows, and no others', () => {
    const models: EvalCall['model'][] = [
      CALL.model,
      { provider: 'local', name: 'small', adapter: null },
      { provider: 'local', name: 'small', adapter: '/w/first/adapter.gguf' },
      { provider: 'scripted', path: '/s.json' },
    ];
    for (const model of models) {
      const options = evalWords({ ...CALL, model }).filter((word) => word.startsWith('--'));
      assert.deepEqual(
        options.filter((option) => !(option.slice(2) in verb.options)),
        [],
      );
    }
  });

  it('passes settings on, and leaves out what is not named', () => {
    const words = evalWords(CALL).join(' ');
    assert.match(
      words,
      /^eval --jsonl --dataset \/w\/dev\.json --results \/w\/results --db-root \/w\/databases --ids /,
    );
    assert.match(words, /--provider openai --base-url http:\/\/127\.0\.0\.1:1\/v1 --model qwen/);
    assert.match(words, /--link auto --turns 4 --samples 3 --timeout-ms 30000$/);
    const few = evalWords({ ...CALL, databases: null, ids: null });
    assert.ok(!few.includes('--db-root') && !few.includes('--ids'));
  });

  it('names an adapter beside the model that it is for, and none where the model has its own', () => {
    const words = (adapter: string | null) =>
      evalWords({ ...CALL, model: { provider: 'local', name: 'small', adapter } }).join(' ');
    assert.match(
      words('/w/first/adapter.gguf'),
      / --provider local --model small --adapter \/w\/first\/adapter\.gguf /,
    );
    assert.doesNotMatch(words(null), /--adapter/);
  });

  it('gets a key by its environment alone, and none of the variables that name another server', () => {
    const given = {
      PATH: '/bin',
      OPENAI_API_KEY: 'a',
      OPENAI_BASE_URL: 'b',
      SQL_AGENT_API_KEY: 'c',
      SQL_AGENT_RESULTS: 'd',
    };
    assert.deepEqual(evalEnvironment(given, '/home/s', null), {
      PATH: '/bin',
      ELECTRON_RUN_AS_NODE: '1',
      SQL_AGENT_HOME: '/home/s',
    });
    assert.equal(evalEnvironment(given, '/home/s', 'secret')['SQL_AGENT_API_KEY'], 'secret');
  });
});
