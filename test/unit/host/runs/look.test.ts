import assert from 'node:assert/strict';
import {
  etaInWords,
  outcomeLook,
  runLabel,
  runLook,
  runTooltip,
  sparkline,
  timeInShort,
} from '../../../../src/host/runs/look.ts';
import type { RunConfig } from '../../../../src/protocol/ledger.ts';
import { config, runOn, share } from './support.ts';

describe('a sparkline', () => {
  it('goes from the lowest to the highest share', () => {
    assert.equal(sparkline([0.5, 0.75, 1]), '▁▅█');
  });

  it('is flat where nothing changed, and absent of a single run', () => {
    assert.equal(sparkline([0.4, 0.4]), '▄▄');
    assert.equal(sparkline([0.4]), '');
  });
});

describe('a line of the Runs view', () => {
  it('names the model and what is not usual in its settings', () => {
    assert.equal(runLabel(runOn(1, 'a')), 'small');
    const decoding = { samples: 5, retries: 0, turns: 4 };
    const linked = { ...config, decoding, prompt: { name: 'lines1', link: 'linked' as const } };
    assert.equal(runLabel(runOn(1, 'a', { config: linked })), 'small · linked · no retries · 5 samples');
    const turns = { ...config, protocol: 'turns' as const, decoding: { samples: 1, retries: 3, turns: 8 } };
    assert.equal(runLabel(runOn(1, 'a', { config: turns })), 'small · 8 turns');
  });

  it('tells runs with an adapter of one’s own from those of the model alone', () => {
    const mine = { ...config, model: { ...config.model, adapterName: 'mine' } };
    const run = runOn(1, 'a', { config: mine });
    assert.equal(runLabel(run), 'small with mine');
    assert.match(runTooltip(run, []), /small with mine/);
  });

  it('says the accuracy first, then its interval and when it was', () => {
    const run = runOn(1, 'a', { share: share(3, 4) });
    const { description, icon, said } = runLook(run, [0.5, 0.75]);
    assert.equal(description, `75.0 % ▁█ · 20.0 to 80.0 · ${timeInShort(run.started)}`);
    assert.equal(icon, 'pass');
    assert.equal(said, `small, done, 75.0 % (20.0 to 80.0), begun ${timeInShort(run.started)}`);
  });

  it('says how far a run has come that is not done', () => {
    const at = { done: 120, total: 521, share: share(60, 120) };
    const running = runLook(runOn(1, 'a', { ...at, state: 'running', etaMs: 240_000 }), []);
    assert.match(running.description, /^120 of 521, 4 min left · 50\.0 % · /);
    const stopped = runLook(runOn(1, 'a', { ...at, state: 'stopped' }), []);
    assert.match(stopped.description, /^stopped, 120 of 521 · /);
    assert.equal(stopped.icon, 'debug-pause');
    const dead = runLook(runOn(1, 'a', { ...at, state: 'unfinished', share: null }), []);
    assert.match(dead.description, /^unfinished, 120 of 521 · 2026/);
  });

  it('has a tooltip with configuration, numbers, and the sparkline in words', () => {
    const text = runTooltip(runOn(1, '20261101-small', { share: share(3, 4) }), [0.5, 0.75]);
    assert.match(text, /\| dataset \| dev\.json, 4 of 4 items \|/);
    assert.match(text, /\| official_ex \| 75\.0 % \(20\.0 to 80\.0\) \|/);
    assert.match(text, /\| strict_ex \| 25\.0 % \(5\.0 to 70\.0\) \|/);
    assert.match(text, /oldest first: 50\.0 %, 75\.0 %/);
    assert.match(text, /`20261101-small`/);
  });

  it('says in its tooltip that the model was shown its error, where it was', () => {
    const decoding = { samples: 1, retries: 3, turns: 4 };
    const way = (asked: Partial<RunConfig['decoding']>) =>
      runTooltip(runOn(1, 'a', { config: { ...config, decoding: { ...decoding, ...asked } } }), []);
    const repair = { repair: true };
    assert.match(way({}), /\| one shot, 3 retries \|/);
    assert.match(way(repair), /\| one shot, 3 retries, the error shown at the first \|/);
    assert.match(way({ ...repair, retries: 0 }), /\| one shot, no retries \|/);
    assert.match(way({ ...repair, samples: 5 }), /\| one shot, 3 retries, 5 samples \|/);
  });

  it('has no markup of a dataset or a model in its tooltip', () => {
    const dataset = { ...config.dataset, name: '[x](command:evil)|<b>' };
    assert.match(
      runTooltip(runOn(1, 'a', { config: { ...config, dataset } }), []),
      /\\\[x\\\]\(command:evil\)\\\|\\<b\\>/,
    );
  });

  it('counts the items of an outcome and their share', () => {
    const { label, description, said } = outcomeLook('wrong_rows', 3, 8);
    assert.deepEqual([label, description, said], ['Wrong rows', '3 · 38 %', 'Wrong rows, 3 items · 38 %']);
  });
});

describe('the time that is left', () => {
  it('is told roughly', () => {
    assert.equal(etaInWords(20_000), 'under a minute left');
    assert.equal(etaInWords(4 * 60_000), '4 min left');
    assert.equal(etaInWords(130 * 60_000), '2 h 10 min left');
    assert.equal(etaInWords(120 * 60_000), '2 h left');
  });
});
