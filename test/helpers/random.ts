/** A small seeded generator. A failed run is repeated with the seed that it printed. */

export interface Random {
  /** Returns an integer from 0 up to, but not including, the bound. */
  below(bound: number): number;
  /** Returns true with the given probability, 0 to 1. */
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
}

/** Creates a generator (mulberry32) from a seed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
  };
}
