import assert from 'node:assert/strict';
import { cutCell } from '../../../../src/host/ask/cut.ts';
import type { JsonCell } from '../../../../src/protocol/value.ts';

describe('cells in a page of a result', () => {
  it('are as they are while they are short', () => {
    const cells: JsonCell[] = [null, 1, 'x'.repeat(4096), { int: '9007199254740993' }, { hex: 'cafe', bytes: 2 }];
    assert.deepEqual(cells.map(cutCell), cells);
  });

  it('are cut where they are long, and say how long they are', () => {
    assert.deepEqual(cutCell('x'.repeat(5000)), { text: 'x'.repeat(4096), chars: 5000 });
    assert.deepEqual(cutCell({ hex: 'ab'.repeat(5000), bytes: 5000 }), { hex: 'ab'.repeat(2048), bytes: 5000 });
    const invalid = cutCell({ text: '\ufffd'.repeat(5000), invalid: true });
    assert.deepEqual(invalid, { text: '\ufffd'.repeat(4096), invalid: true, chars: 5000 });
    assert.deepEqual(cutCell({ text: 'x'.repeat(5000), chars: 9000 }), { text: 'x'.repeat(4096), chars: 9000 });
  });

  it('are never cut inside of a character', () => {
    assert.deepEqual(cutCell(`${'x'.repeat(4095)}👍👍`), { text: 'x'.repeat(4095), chars: 4097 });
  });
});
