import assert from 'node:assert/strict';
import { Slices } from '../../../../src/host/tests/slices.ts';

describe('results in slices', () => {
  it('hands everything on in order, never much at once', async () => {
    const turns: number[][] = [];
    let turn: number[] | null = null;
    const slices = new Slices<number>((number) => {
      if (turn === null) {
        const begun: number[] = [];
        turn = begun;
        turns.push(begun);
        setImmediate(() => {
          turn = null;
        });
      }
      turn.push(number);
    });
    for (let number = 0; number < 401; number += 1) void slices.push(number);
    assert.deepEqual(turns, [], 'nothing at once: more may come');
    await slices.drained();
    assert.deepEqual(
      turns.flat(),
      Array.from({ length: 401 }, (_, number) => number),
    );
    assert.deepEqual(
      turns.map(({ length }) => length),
      [200, 200, 1],
    );
  });

  it('has whoever brings things wait where too many do', async () => {
    let handed = 0;
    const slices = new Slices<number>(() => {
      handed += 1;
    });
    let most = 0;
    for (let pushed = 1; pushed <= 2000; pushed += 1) {
      await slices.push(pushed);
      most = Math.max(most, pushed - handed);
    }
    assert.ok(most < 400, `${most} waited`);
    await slices.drained();
    assert.equal(handed, 2000);
  });

  it('is drained at once where nothing waits, and again after more came', async () => {
    const handed: string[] = [];
    const slices = new Slices<string>((text) => handed.push(text));
    await slices.drained();
    await slices.push('a');
    await slices.drained();
    await slices.push('b');
    await slices.drained();
    assert.deepEqual(handed, ['a', 'b']);
  });
});
