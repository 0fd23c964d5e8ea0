/** Separates the parts of a write that concern temporary tables of the connection, which are written directly. */
import type { QueryWrite } from '../sql/write.ts';
import type { Named } from './stageable.ts';

export const isTemporary = ({ meaning }: Named): boolean => meaning.kind === 'temporary';

/** Returns the write without the clauses that belong to temporary tables. PostgreSQL executes these itself. */
export function stagedPart(write: QueryWrite, named: readonly Named[]): QueryWrite {
  const places = named.filter(isTemporary).map(({ use }) => use.start);
  if (places.length === 0) return write;
  const isStaged = ({ target }: { readonly target: number }) => !places.includes(target);
  return {
    ...write,
    upserts: write.upserts.filter(isStaged),
    overriding: write.overriding.filter(isStaged),
    merges: write.merges.filter(isStaged),
  };
}
