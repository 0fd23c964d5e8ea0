/** Selects the changes of a diff to show: by operation, by condition, up to a limit. */

import type { ReadChange } from '../../client/diff-reader.ts';
import { valuesOf } from '../../client/values.ts';
import { StageError } from '../../errors.ts';
import type { Operation } from '../../model/change.ts';
import { nearest } from '../../nearest.ts';
import type { Sides, Where } from './where.ts';
import { columnOf, parseWhere } from './where.ts';

export interface SelectionOptions {
  readonly filter?: Operation;
  readonly where?: string;
  readonly limit?: number;
}

export class Selection {
  /** The number of changes selected so far. */
  chosen = 0;
  readonly #operation: Operation | undefined;
  readonly #limit: number;
  readonly #where: Where | null;
  /** Columns of the condition that no row has had yet. */
  readonly #missing: Set<string>;
  readonly #seen = new Set<string>();

  /** @throws StageError `usage` for an invalid condition */
  constructor({ filter, where, limit }: SelectionOptions) {
    this.#operation = filter;
    this.#limit = limit ?? Number.POSITIVE_INFINITY;
    this.#where = where === undefined ? null : readCondition(where);
    this.#missing = new Set(this.#where?.columns);
  }

  /** Whether neither an operation nor a condition restricts the selection. */
  get isWhole(): boolean {
    return this.#operation === undefined && this.#where === null;
  }

  /** Whether the last allowed change was selected. */
  get full(): boolean {
    return this.chosen > 0 && this.chosen >= this.#limit;
  }

  /** Returns whether a change is selected; counts it if so. */
  choose(change: ReadChange): boolean {
    if (this.chosen >= this.#limit || (this.#operation && change.type !== this.#operation))
      return false;
    if (this.#where && !this.#meets(this.#where, change)) return false;
    this.chosen += 1;
    return true;
  }

  /**
   * Marks the end of the changes.
   * @throws StageError `usage` if the condition names a column that no row has
   */
  end(): void {
    const [name] = this.#missing;
    if (name === undefined || this.#seen.size === 0) return;
    const meant = nearest(columnOf(name), [...this.#seen]);
    throw new StageError('usage', `no row of the diff has a column ${JSON.stringify(name)}`, {
      hint: `${meant === null ? '' : `Did you mean ${meant}? `}See \`stage diff --help\`.`,
    });
  }

  #meets(where: Where, { before, after, texts }: ReadChange): boolean {
    const sides = {
      before: before && valuesOf(before, texts, 'before'),
      after: after && valuesOf(after, texts, 'after'),
    };
    if (this.#missing.size > 0) this.#inspect(sides);
    return where.holds(sides) === true;
  }

  #inspect(sides: Sides): void {
    for (const row of [sides.before, sides.after]) {
      for (const column of row?.keys() ?? []) this.#seen.add(column);
    }
    for (const name of this.#missing) {
      if (this.#seen.has(name) || this.#seen.has(columnOf(name))) this.#missing.delete(name);
    }
  }
}

function readCondition(text: string): Where {
  try {
    return parseWhere(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new StageError('usage', `the condition ${JSON.stringify(text)} ${cause.message}`, {
      hint: `Write for example --where "price > 10 AND to_status = 'paid'"; see \`stage diff --help\`.`,
      cause,
    });
  }
}
