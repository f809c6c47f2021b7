import assert from 'node:assert/strict';
import { Disposable } from '../../../src/host/disposable.ts';

class Owner extends Disposable {
  readonly order: string[] = [];
  own(name: string) {
    this._register({ dispose: () => this.order.push(name) });
  }
}

describe('Disposable', () => {
  it('disposes what it owns once, the latest first', () => {
    const owner = new Owner();
    owner.own('a');
    owner.own('b');
    owner.dispose();
    owner.dispose();
    assert.deepEqual(owner.order, ['b', 'a']);
    assert.equal(owner.isDisposed, true);
  });

  it('disposes at once what is registered after its end', () => {
    const owner = new Owner();
    owner.dispose();
    owner.own('late');
    assert.deepEqual(owner.order, ['late']);
  });
});
