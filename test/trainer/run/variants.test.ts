import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FILES, linesOf, modelOf, readVariants } from '../../../bench/variants/variant.ts';
import { temporaryFolder } from '../../support/temporary.ts';

describe('the variants of the adapters', () => {
  const folder = temporaryFolder();
  after(() => folder.remove());

  it('have names of their own that tell the model', () => {
    const variants = readVariants();
    assert.equal(new Set(variants.map(({ name }) => name)).size, variants.length);
    for (const { name, model } of variants) assert.equal(name.startsWith('coder-'), model === 'coder');
    assert.deepEqual(new Set(variants.map(({ model }) => model)), new Set(['small', 'coder']));
    assert.throws(() => modelOf('large'), /small or coder/);
  });

  it('have the settings of their model with their own on top', () => {
    const settings = (name: string) => readVariants().find((variant) => variant.name === name)?.settings ?? {};
    const [below, above] = [settings('coder-phrased-repairs'), settings('coder-phrased-rate')];
    assert.deepEqual(above, { ...below, optimiser: { ...(below['optimiser'] as object), lr: 5e-4 } });
    assert.notDeepEqual(settings('phrased')['lora'], below['lora']);
  });

  it('take their wordings, their share of the repairs and no question beyond their bounds', () => {
    const line = (id: string, more: object = {}) => JSON.stringify({ id, ...more });
    const lines = ['a', 'b'].flatMap((id) => [
      line(id),
      ...[1, 2, 3].map((phrasing) => line(id, { phrasing })),
      line(id, { repair: 'column' }),
    ]);
    const write = (name: string, texts: readonly string[]) =>
      writeFileSync(join(folder.path, name), gzipSync(`${texts.join('\n')}\n`));
    write(FILES.made, lines);
    write(FILES.published, ['published']);
    writeFileSync(join(folder.path, FILES.hard), JSON.stringify({ bounded: ['b'] }));
    const variant = { model: 'coder', settings: {} } as const;
    const kept = (name: string, keep: { phrasings: number; repairs: number }) =>
      linesOf({ ...variant, name, keep }, folder.path);
    assert.deepEqual(
      kept('half', { phrasings: 1, repairs: 0.5 }),
      [0, 1, 4, 5, 6].map((index) => lines[index]),
    );
    assert.deepEqual(kept('bounded', { phrasings: 3, repairs: 0 }), lines.slice(0, 4));
    assert.deepEqual(linesOf({ ...variant, name: 'other', keep: 'published' }, folder.path), ['published']);
  });
});
