/** Things that are begun at once, each a moment after the other, and what became of each. */
import type { StageError } from '../../src/errors.ts';
import type { Random } from './random.ts';

export interface Outcome<Kind> {
  readonly kind: Kind;
  /** `done`, or the code of what it was refused with. */
  readonly code: string;
}

/** Begins each within so many milliseconds, and waits for all. */
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

/** How often each outcome was seen. */
export class Seen {
  readonly #counts = new Map<string, number>();

  add({ kind, code }: Outcome<string>): void {
    const name = `${kind} ${code}`;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  toString(): string {
    return JSON.stringify([...this.#counts].sort());
  }
}
