/** Runs operations at almost the same time, and records the outcome of each. */
import type { StageError } from '../../src/errors.ts';
import type { Random } from './random.ts';
import { assert } from './suite.ts';

export interface Outcome<Kind> {
  readonly kind: Kind;
  /** `done`, or the code of the refusal. */
  readonly code: string;
}

/** Begins each operation after a random delay of at most `withinMs` milliseconds, and waits for all. */
export async function race<Kind extends string>(
  work: Readonly<Record<Kind, () => Promise<unknown>>>,
  kinds: readonly Kind[],
  random: Random,
  withinMs: number,
): Promise<Outcome<Kind>[]> {
  return Promise.all(
    kinds.map(async (kind) => {
      await new Promise((resolve) => setTimeout(resolve, random.below(withinMs)));
      const code = await work[kind]().then(
        () => 'done',
        (error: StageError) => error.code,
      );
      return { kind, code };
    }),
  );
}

/**
 * Asserts that each refusal has one of its allowed codes.
 * @throws AssertionError if one has not
 */
export function demandKnown<Kind extends string>(
  outcomes: readonly Outcome<Kind>[],
  refusals: Readonly<Record<Kind, readonly string[]>>,
  story: string,
): void {
  for (const { kind, code } of outcomes)
    assert.ok(code === 'done' || refusals[kind].includes(code), story);
}

/** Counts each outcome. */
export class Seen {
  readonly #counts = new Map<string, number>();

  add(outcomes: readonly Outcome<string>[]): void {
    for (const { kind, code } of outcomes) {
      const name = `${kind} ${code}`;
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    }
  }

  count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  toString(): string {
    return JSON.stringify([...this.#counts].sort());
  }
}
