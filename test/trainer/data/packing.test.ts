import assert from 'node:assert/strict';
import type { PackedBatch } from '../../../python-free-trainer/src/data/batch.ts';
import type { Example } from '../../../python-free-trainer/src/data/conversation.ts';
import { type Pack, packExamples, packMembers, toBatch } from '../../../python-free-trainer/src/data/packing.ts';
import { groupPrefixes, prefixFamilies, rowsOf, samePrompts } from '../../../python-free-trainer/src/data/prefixes.ts';
import { Random } from '../../../src/core/score/statistics/random.ts';
import { AppError } from '../../../src/protocol/errors.ts';
import { example, familyExamples, tokensOf } from './made-examples.ts';

/** Lengths as training data has them: many short ones, few long ones. */
function mixed(count: number, seed: number): Example[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => {
    const length = 8 + Math.floor(500 * (random.below(1000) / 1000) ** 3);
    return example(tokensOf(random, length, 300), tokensOf(random, 1 + random.below(40), 300));
  });
}

/** The texts that lead to each learned token, in the batch's own terms: what the engine sees. */
function learned(batch: PackedBatch): string[] {
  const chains = batch.segments.map(({ start, length, parent }) => ({ start, length, parent }));
  const textBefore = (row: number): number[] => {
    const index = chains.findIndex(({ start, length }) => row >= start && row < start + length);
    const rows: number[] = [];
    let segment = chains[index];
    let end = row + 1;
    while (segment !== undefined) {
      rows.unshift(...Array.from({ length: end - segment.start }, (_, place) => (segment?.start ?? 0) + place));
      segment = chains[segment.parent];
      end = segment === undefined ? 0 : segment.start + segment.length;
    }
    for (const [place, at] of rows.entries()) assert.equal(batch.positions[at], place);
    return rows.map((at) => batch.tokens[at] ?? -1);
  };
  return [...batch.lossRows].map((row, index) => `${textBefore(row).join(' ')} -> ${batch.targets[index]}`);
}

/** The same from the examples themselves. */
function wanted(examples: readonly Example[], members: readonly number[]): string[] {
  return members.flatMap((member) => {
    const { tokens = new Int32Array(), loss = new Uint8Array() } = examples[member] ?? {};
    return [...loss.keys()].flatMap((place) =>
      loss[place] === 1 ? [`${tokens.subarray(0, place).join(' ')} -> ${tokens[place]}`] : [],
    );
  });
}

function expectWhole(examples: readonly Example[], packs: readonly Pack[], packTokens: number): void {
  assert.deepEqual(
    packs.flatMap(packMembers).sort((a, b) => a - b),
    [...examples.keys()],
  );
  for (const pack of packs) {
    const batch = toBatch(examples, pack);
    const members = packMembers(pack);
    assert.ok(pack.size <= packTokens);
    assert.equal(batch.tokens.length, pack.size);
    assert.equal(batch.exampleCount, members.length);
    assert.equal(
      batch.plainTokens,
      members.reduce((sum, member) => sum + rowsOf(examples[member] ?? example([], [])), 0),
    );
    let next = 0;
    batch.segments.forEach(({ start, length, parent }, index) => {
      assert.equal(start, next);
      assert.ok(length > 0 && parent < index);
      next += length;
    });
    assert.equal(next, pack.size);
    assert.deepEqual(learned(batch), wanted(examples, members));
    const owners = members.flatMap(
      (member, index) => examples[member]?.loss.filter((one) => one === 1).fill(index) ?? [],
    );
    assert.deepEqual(
      [...batch.examples],
      owners.flatMap((owner) => [...owner]),
    );
  }
}

describe('packing', () => {
  it('puts every example into one pack, whole, and no pack over the limit', () => {
    for (const seed of [1, 2, 3]) {
      const examples = mixed(60, seed);
      for (const sharePrefixes of [false, true])
        expectWhole(examples, packExamples(examples, { packTokens: 700, sharePrefixes }), 700);
    }
  });

  it('fills packs by more than nine tenths where there are many examples', () => {
    const examples = mixed(2000, 4);
    const packs = packExamples(examples, { packTokens: 1024, sharePrefixes: false });
    const rows = examples.reduce((sum, one) => sum + rowsOf(one), 0);
    assert.ok(rows / (packs.length * 1024) > 0.98, `${rows / (packs.length * 1024)}`);
  });

  it('takes the fullest pack with room, of several the one made first', () => {
    const examples = mixed(300, 7);
    const packs: { size: number; members: number[] }[] = [];
    const sizes = examples.map(rowsOf);
    for (const member of [...sizes.keys()].sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0) || a - b)) {
      const size = sizes[member] ?? 0;
      const best = packs
        .filter((pack) => pack.size + size <= 600)
        .reduce((best, pack) => (pack.size > best.size ? pack : best), { size: -1, members: [0] });
      const pack = best.size < 0 ? { size: 0, members: [] } : best;
      if (best.size < 0) packs.push(pack);
      pack.size += size;
      pack.members.push(member);
    }
    const found = packExamples(examples, { packTokens: 600, sharePrefixes: false });
    assert.deepEqual(
      found.map((pack) => ({ size: pack.size, members: packMembers(pack) })),
      packs,
    );
  });

  it('gives the same packs for the same order, and others for another', () => {
    const examples = mixed(50, 5);
    const members = (order: readonly Example[]) =>
      packExamples(order, { packTokens: 700, sharePrefixes: false }).map((pack) =>
        packMembers(pack).map((member) => examples.indexOf(order[member] ?? example([], []))),
      );
    assert.deepEqual(members(examples), members(examples));
    assert.notDeepEqual(members(examples), members(examples.toReversed()));
  });

  it('keeps the layout of a pack where a neighbour says something else of the same length', () => {
    const examples = mixed(20, 6);
    const changed = examples.map((one, index) =>
      index === 3 ? { ...one, tokens: one.tokens.map((id) => 299 - id) } : one,
    );
    const options = { packTokens: 700, sharePrefixes: false };
    assert.deepEqual(packExamples(changed, options), packExamples(examples, options));
  });

  it('leaves out the row of a last token, which nothing is predicted from', () => {
    const examples = [example([1, 2, 3], [4, 5])];
    const [pack] = packExamples(examples, { packTokens: 4, sharePrefixes: false });
    assert.ok(pack);
    const batch = toBatch(examples, pack);
    assert.deepEqual([...batch.tokens], [1, 2, 3, 4]);
    assert.deepEqual([...batch.lossRows], [2, 3]);
    assert.deepEqual([...batch.targets], [4, 5]);
  });

  it('learns from several turns of one example', () => {
    const tokens = Int32Array.from([1, 2, 3, 4, 5, 6, 7]);
    const examples = [{ tokens, loss: Uint8Array.from([0, 0, 1, 0, 0, 1, 0]) }];
    const packs = packExamples(examples, { packTokens: 10, sharePrefixes: true });
    expectWhole(examples, packs, 10);
    assert.equal(packs[0]?.size, 5);
  });

  it('refuses an example that fits into no pack, saying what to raise', () => {
    for (const sharePrefixes of [false, true])
      assert.throws(
        () => packExamples([example(Array(50).fill(1), [2])], { packTokens: 49, sharePrefixes }),
        (error) =>
          error instanceof AppError && error.code === 'example_exceeds_pack' && /pack_tokens/.test(error.message),
      );
  });
});

describe('shared beginnings', () => {
  const families = { families: 4, each: 10, shared: 100, own: 20, answer: 15, vocab: 300, seed: 7 };

  it('are computed once a pack, and lead to the same learned tokens', () => {
    const examples = familyExamples(families);
    const packs = packExamples(examples, { packTokens: 2000, sharePrefixes: true });
    expectWhole(examples, packs, 2000);
    const plain = examples.reduce((sum, one) => sum + rowsOf(one), 0);
    const computed = packs.reduce((sum, { size }) => sum + size, 0);
    assert.equal(plain - computed, 4 * 9 * 100);
  });

  it('are computed again in each pack where a family fills several', () => {
    const examples = familyExamples({ ...families, families: 1, each: 40 });
    const packs = packExamples(examples, { packTokens: 300, sharePrefixes: true });
    expectWhole(examples, packs, 300);
    assert.ok(packs.length >= 3);
  });

  it('are found among very many examples of one family', () => {
    const beginning = Array.from({ length: 40 }, (_, index) => index);
    const examples = Array.from({ length: 150_000 }, (_, index) =>
      example([...beginning, 50 + (index % 300)], [index]),
    );
    const packs = packExamples(examples, { packTokens: 1_000_000, sharePrefixes: true });
    assert.equal(packs.length, 1);
    assert.equal(packs[0]?.size, 40 + 150_000);
  });

  it('form trees: what two of three share lies behind what all share', () => {
    const random = new Random(8);
    const [all, two, own] = [40, 50, 5].map((count) => tokensOf(random, count, 300));
    const prompts = [
      [...(all ?? []), 1],
      [...(all ?? []), ...(two ?? []), 2],
      [...(all ?? []), ...(two ?? []), 3],
    ];
    const examples = prompts.map((prompt) => example(prompt, own ?? []));
    const packs = packExamples(examples, { packTokens: 500, sharePrefixes: true });
    expectWhole(examples, packs, 500);
    const [pack] = packs;
    assert.ok(pack);
    assert.deepEqual(
      toBatch(examples, pack).segments.map(({ length, parent }) => [length, parent]),
      [
        [40, -1],
        [5, 0],
        [50, 0],
        [5, 2],
        [5, 2],
      ],
    );
  });

  it('end before the first learned token, which the last shared row predicts', () => {
    const prompt = tokensOf(new Random(9), 40, 300);
    // Same prompt, answers that begin alike; and one of a single token, which needs no row of its own.
    const examples = [example(prompt, [7, 8]), example(prompt, [7, 9]), example(prompt, [5])];
    const packs = packExamples(examples, { packTokens: 100, sharePrefixes: true });
    expectWhole(examples, packs, 100);
    const [pack] = packs;
    assert.ok(pack);
    const batch = toBatch(examples, pack);
    assert.equal(batch.segments[0]?.length, 40);
    assert.deepEqual([...batch.lossRows].filter((row) => row === 39).length, 3);
    assert.equal(batch.tokens.length, 42);
  });

  it('are left alone where they are short', () => {
    const prompt = tokensOf(new Random(10), 20, 300);
    const examples = [example([...prompt, 1], [7]), example([...prompt, 2], [8])];
    assert.equal(groupPrefixes(examples).length, 2);
  });

  it('are found whatever the order of the examples', () => {
    const examples = familyExamples(families);
    const lengths = (list: readonly Example[]) =>
      groupPrefixes(list).map(({ size, members }) => [size, members.length]);
    assert.deepEqual(lengths(examples), lengths(examples.toReversed()));
  });

  it('make families, and equal prompts have one number', () => {
    const examples = familyExamples(families);
    const numbers = prefixFamilies(examples);
    for (const index of examples.keys()) assert.equal(numbers[index], numbers[index % 4]);
    assert.equal(new Set(numbers).size, 4);
    const twice = [
      ...examples,
      ...examples.map(({ tokens, loss }) => ({
        tokens: Int32Array.from([...tokens, 1]),
        loss: Uint8Array.from([...loss, 1]),
      })),
    ];
    const same = samePrompts(twice);
    assert.equal(new Set(same).size, 40);
    for (const index of examples.keys()) assert.equal(same[index], same[index + 40]);
  });
});
