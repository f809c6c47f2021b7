import assert from 'node:assert/strict';
import { boundsOf, isSelected, move, type Selection } from '../../../webview-ui/shared/navigation.ts';

const SIZE = { rows: 100, columns: 5, page: 10 };

function at(row: number, column: number): Selection {
  return { anchor: { row, column }, cursor: { row, column } };
}

function press(
  selection: Selection,
  key: string,
  modifiers: { shift?: boolean; command?: boolean } = {},
): Selection | null {
  return move(selection, { key, shift: modifiers.shift ?? false, command: modifiers.command ?? false }, SIZE);
}

describe('the keys of a grid', () => {
  it('moves by arrows and stays inside', () => {
    assert.deepEqual(press(at(3, 2), 'ArrowDown'), at(4, 2));
    assert.deepEqual(press(at(3, 2), 'ArrowLeft'), at(3, 1));
    assert.deepEqual(press(at(0, 0), 'ArrowUp'), at(0, 0));
    assert.deepEqual(press(at(99, 4), 'ArrowRight'), at(99, 4));
  });

  it('moves by pages and to the ends', () => {
    assert.deepEqual(press(at(3, 2), 'PageDown'), at(13, 2));
    assert.deepEqual(press(at(3, 2), 'PageUp'), at(0, 2));
    assert.deepEqual(press(at(3, 2), 'Home'), at(3, 0));
    assert.deepEqual(press(at(3, 2), 'End'), at(3, 4));
    assert.deepEqual(press(at(3, 2), 'End', { command: true }), at(99, 4));
    assert.deepEqual(press(at(3, 2), 'Home', { command: true }), at(0, 0));
    assert.deepEqual(press(at(3, 2), 'ArrowDown', { command: true }), at(99, 2));
  });

  it('selects with Shift from where the selection began', () => {
    const one = press(at(3, 2), 'ArrowDown', { shift: true });
    const two = one && press(one, 'ArrowLeft', { shift: true });
    assert.deepEqual(two, { anchor: { row: 3, column: 2 }, cursor: { row: 4, column: 1 } });
    assert.deepEqual(two && boundsOf(two), { top: 3, bottom: 4, left: 1, right: 2 });
    assert.ok(two && isSelected(two, 4, 2) && !isSelected(two, 4, 3));
  });

  it('selects the row with Shift+Space and everything with Ctrl+A', () => {
    const row = press(at(3, 2), ' ', { shift: true });
    assert.deepEqual(row && boundsOf(row), { top: 3, bottom: 3, left: 0, right: 4 });
    const all = press(at(3, 2), 'a', { command: true });
    assert.deepEqual(all && boundsOf(all), { top: 0, bottom: 99, left: 0, right: 4 });
  });

  it('leaves other keys, and an empty grid, alone', () => {
    assert.equal(press(at(3, 2), 'x'), null);
    assert.equal(press(at(3, 2), 'Tab'), null);
    assert.equal(move(at(0, 0), { key: 'ArrowDown', shift: false, command: false }, { ...SIZE, rows: 0 }), null);
  });
});
