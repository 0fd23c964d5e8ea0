/** What of a write concerns temporary tables of the connection, which are written to as they are. */
import type { QueryWrite } from '../sql/write.ts';
import type { Named } from './stageable.ts';

export const isTemporary = ({ meaning }: Named): boolean => meaning.kind === 'temporary';

/** The write without the clauses that belong to temporary tables: PostgreSQL carries these out itself. */
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
