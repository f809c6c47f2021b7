import { strict as assert } from 'node:assert';
import type { Segment } from '../../../python-free-trainer/src/data/batch.ts';
import {
  groupTables,
  groupTexts,
  planLength,
  type TextGroup,
} from '../../../python-free-trainer/src/gpu/text-groups.ts';

function pack(...lengths: number[]): Segment[] {
  let start = 0;
  return lengths.map((length) => {
    start += length;
    return { start: start - length, length, parent: -1 };
  });
}

function groups(segments: readonly Segment[], most = 100): TextGroup[] {
  const made = groupTexts(segments, () => most);
  assert.ok(made);
  return made;
}

describe('groups of texts for cuDNN', () => {
  it('no text is longer than its plan, and plans have few lengths', () => {
    const lengths = Array.from({ length: 5000 }, (_, i) => planLength(i + 1));
    assert.ok(lengths.every((length, i) => length >= i + 1 && length % 128 === 0));
    assert.deepEqual([...new Set(lengths)], [128, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144]);
  });

  it('every text is in one group, beside texts of about its length', () => {
    const segments = pack(70, 1, 1501, 129, 3, 300, 256, 90, 2048, 700);
    const made = groups(segments);
    const taken = made.flatMap(({ texts }) => texts).sort((a, b) => a.start - b.start);
    assert.deepEqual(
      taken,
      segments.map(({ start, length }) => ({ start, length })),
    );
    for (const { texts, length } of made)
      assert.ok(texts.every((text) => text.length <= length && (length === 128 || text.length > length / 2)));
    assert.deepEqual(
      made.map(({ length, places }) => [length, places]),
      [
        [2048, 2],
        [768, 1],
        [384, 2],
        [256, 1],
        [128, 4],
      ],
    );
  });

  it('a plan takes no more texts than it has room for', () => {
    const made = groups(pack(...Array.from({ length: 11 }, () => 500)), 4);
    assert.deepEqual(
      made.map(({ texts, places }) => [texts.length, places]),
      [
        [4, 4],
        [4, 4],
        [3, 4],
      ],
    );
  });

  it('there are no groups where the longest text fits into no plan', () => {
    assert.equal(
      groupTexts(pack(100, 9000), (length) => (length > 8192 ? 0 : 8)),
      null,
    );
  });

  it('tables say where texts begin in each matrix; empty places begin at the end and have no rows', () => {
    const { values, begins } = groupTables(
      {
        texts: [
          { start: 10, length: 100 },
          { start: 200, length: 7 },
          { start: 300, length: 50 },
        ],
        places: 4,
        length: 128,
      },
      [1, 6336],
    );
    const table = (index: number, count: number) => [
      ...values.subarray(begins[index] ?? 0, (begins[index] ?? 0) + count),
    ];
    assert.deepEqual(table(0, 4), [100, 7, 50, 0]);
    assert.deepEqual(table(1, 5), [10, 200, 300, 350, 350]);
    assert.deepEqual(
      table(2, 5),
      [10, 200, 300, 350, 350].map((start) => start * 6336),
    );
    assert.ok(begins.every((begin) => begin % 4 === 0));
  });

  it('a text longer than announced is refused', () => {
    const group = { texts: [{ start: 0, length: 129 }], places: 1, length: 128 };
    assert.throws(() => groupTables(group, [1]), RangeError);
  });
});
