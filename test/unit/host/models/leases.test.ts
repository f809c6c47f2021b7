import assert from 'node:assert/strict';
import type { Provider } from '../../../../src/core/ports.ts';
import { ProviderLeases } from '../../../../src/host/models/leases.ts';

/** A provider that answers with its name and tells when it was freed. */
function provider(name: string, freed: string[]): Provider {
  return {
    protocol: 'turns',
    model: { provider: 'scripted', name, accuracy: null },
    chat: async () => ({ text: name, promptTokens: null, completionTokens: null, finish: 'stop' }),
    dispose: async () => {
      freed.push(name);
    },
  };
}

describe('ProviderLeases', () => {
  const request = { messages: [], stablePrefix: 0, prefixKey: null, temperature: 0, seed: null, maxTokens: 1 };

  it('keeps the provider of the latest key between questions', async () => {
    const freed: string[] = [];
    const leases = new ProviderLeases();
    await leases.lease('a', () => provider('a', freed)).dispose();
    assert.deepEqual(freed, []);
    const again = leases.lease('a', () => assert.fail('a second provider was made for the same key'));
    assert.equal((await again.chat(request, {})).text, 'a');
  });

  it('frees an earlier provider when the last question that uses it has ended', async () => {
    const freed: string[] = [];
    const leases = new ProviderLeases();
    const first = leases.lease('a', () => provider('a', freed));
    const second = leases.lease('a', () => provider('a', freed));
    const other = leases.lease('b', () => provider('b', freed));
    await first.dispose();
    await first.dispose();
    assert.deepEqual(freed, []);
    assert.equal((await second.chat(request, {})).text, 'a');
    await second.dispose();
    assert.deepEqual(freed, ['a']);
    await other.dispose();
    assert.deepEqual(freed, ['a']);
  });

  it('says of a provider what that says of itself', () => {
    const made: Provider = { ...provider('a', []), protocol: 'one_shot', repairs: true };
    const { protocol, model, repairs } = new ProviderLeases().lease('a', () => made);
    assert.deepEqual({ protocol, model, repairs }, { protocol: 'one_shot', model: made.model, repairs: true });
  });

  it('frees everything at its end, used or not', () => {
    const freed: string[] = [];
    const leases = new ProviderLeases();
    leases.lease('a', () => provider('a', freed));
    leases.lease('b', () => provider('b', freed));
    leases.dispose();
    assert.deepEqual(freed.sort(), ['a', 'b']);
  });
});
