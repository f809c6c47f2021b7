import type { Provider } from '../../core/ports.ts';

interface Held {
  key: string;
  provider: Provider;
  leases: number;
}

/**
 * Providers in use. The one of the latest key is kept, so that a model stays loaded between questions; an earlier one is
 * freed when the last question that it answers has ended, so that choosing another model stops nothing.
 */
export class ProviderLeases {
  #held: Held[] = [];
  #disposed = false;

  /**
   * The provider of `key`, made where it is not held yet. Disposing what is returned gives the lease back.
   * @param key says everything that a provider is made from.
   */
  lease(key: string, make: () => Provider): Provider {
    let held = this.#held.find((candidate) => candidate.key === key);
    if (!held) {
      held = { key, provider: make(), leases: 0 };
      this.#held.push(held);
    }
    // The latest stands last.
    this.#held = [...this.#held.filter((other) => other !== held), held];
    held.leases += 1;
    this.#freeUnused();
    return leased(held, () => this.#freeUnused());
  }

  #freeUnused(): void {
    const latest = this.#held.at(-1);
    const unused = this.#held.filter((held) => held.leases === 0 && (this.#disposed || held !== latest));
    this.#held = this.#held.filter((held) => !unused.includes(held));
    for (const { provider } of unused) void provider.dispose();
  }

  /** Frees every provider, whoever still uses it. */
  dispose(): void {
    this.#disposed = true;
    const held = this.#held;
    this.#held = [];
    for (const { provider } of held) void provider.dispose();
  }
}

function leased(held: Held, released: () => void): Provider {
  let given = false;
  const { provider } = held;
  return {
    // All that a provider says of itself is the same for who leases it.
    ...provider,
    warm: async (signal) => provider.warm?.(signal),
    chat: (request, progress, signal) => provider.chat(request, progress, signal),
    dispose: async () => {
      if (given) return;
      given = true;
      held.leases -= 1;
      released();
    },
  };
}
