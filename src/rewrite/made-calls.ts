/**
 * The operators, aggregates, casts and types that users of the database have made over functions in C. Nearly always there are none, and
 * then nothing has to be asked of what a read calls without naming a function.
 */
import type { MadeCall } from '../model/session.ts';
import type { UnclearCall } from '../sql/functions/calls.ts';
import type { Called } from './called-names.ts';
import { implied } from './called-names.ts';

export class MadeCalls {
  private readonly names: ReadonlySet<string>;
  /** What a statement may call that names none of it. */
  private readonly unnamed: readonly Called[];

  constructor(made: readonly MadeCall[]) {
    this.names = new Set(made.map(({ kind, name }) => keyOf(kind, name)));
    const isMade = ({ name }: { readonly name: string }) => this.names.has(keyOf('operator', name));
    const casts = made.filter(({ kind }) => kind === 'cast');
    this.unnamed = [
      ...implied.filter(isMade).map((each) => ({ kind: 'operator' as const, ...each })),
      ...casts.map(({ name }) => ({ kind: 'type' as const, schema: null, name })),
    ];
  }

  /** Returns what has to be known of the calls of a read before it runs. */
  among(calls: readonly UnclearCall[]): readonly Called[] {
    // guard: what users have made of operators, aggregates, casts and types is asked about in reads
    const isAsked = ({ kind, name, unlessMade }: UnclearCall) =>
      unlessMade !== true || this.names.has(keyOf(kind, name));
    return this.withUnnamed(calls.filter(isAsked));
  }

  /** Returns the calls with those that no name tells. */
  withUnnamed(calls: readonly Called[]): readonly Called[] {
    return this.unnamed.length === 0 ? calls : [...calls, ...this.unnamed];
  }
}

/** An aggregate can be called behind a dot, too. */
const keyOf = (kind: Called['kind'] | 'cast', name: string) =>
  `${kind === 'field' ? 'function' : kind} ${name}`;
