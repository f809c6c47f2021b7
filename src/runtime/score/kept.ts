import { hash } from 'node:crypto';

/**
 * Names the form of what is kept and the meaning of the metrics: raised with every change of either. Results also depend
 * on SQLite, so that its version stands beside it.
 */
const VERSION = `1 ${process.versions['sqlite'] ?? ''}`;

/** A key under which something is kept that depends on nothing but `parts`. */
export function keyOf(kind: 'gold' | 'verdict' | 'fragile', parts: readonly string[]): string {
  // The lengths keep the parts apart, whatever they hold.
  return hash('sha256', [VERSION, kind, ...parts.map((part) => `${part.length}:${part}`)].join('\n'));
}

/** A map that forgets what was used longest ago, once its entries weigh more than it may hold. */
export class RecentMap<V> {
  readonly #most: number;
  readonly #onForgotten: (value: V) => void;
  readonly #entries = new Map<string, { value: V; weight: number }>();
  #weight = 0;

  /** @param most weight of all entries together @param onForgotten is told of a value that had to go */
  constructor(most: number, onForgotten: (value: V) => void = () => {}) {
    this.#most = most;
    this.#onForgotten = onForgotten;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: V, weight = 1): void {
    this.#remove(key);
    if (weight > this.#most) return;
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const [oldest, entry] of this.#entries) {
      if (this.#weight <= this.#most) break;
      this.#remove(oldest);
      this.#onForgotten(entry.value);
    }
  }

  #remove(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }
}
