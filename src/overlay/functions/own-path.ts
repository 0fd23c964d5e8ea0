/** The search paths of functions with SET search_path: the names in them are looked up there, whoever calls them. */
import type { Queryable } from '../../db/database.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';

/** A name as it is recorded, with the search path under which it is looked up unless that is the caller's. */
export interface RecordedName extends QualifiedName {
  readonly path?: readonly string[];
}

/** The schemas in which names are resolved. */
export interface Lookup {
  /** OIDs of the schemas, in order. */
  readonly path: readonly number[];
  /** The names of the schemas of a function with SET search_path, and of those that it calls. */
  readonly ownPath?: readonly string[] | undefined;
}

/** Returns the schemas in which a function finds names: those of its SET clause, or else those of its caller. */
export async function lookupOf(
  tx: Queryable,
  caller: Lookup,
  ownPath: readonly string[] | null,
): Promise<Lookup> {
  if (ownPath === null) return { path: caller.path, ownPath: caller.ownPath };
  const rows = await tx.query(
    // the transaction's path may have schemas of users
    `SELECT n.oid FROM pg_catalog.json_array_elements_text($1::pg_catalog.json) WITH ORDINALITY s(name, place)
     JOIN pg_catalog.pg_namespace n ON n.nspname OPERATOR(pg_catalog.=) s.name::pg_catalog.name ORDER BY s.place`,
    [JSON.stringify(ownPath)],
  );
  return { path: rows.map(({ oid }) => Number(oid)), ownPath };
}

/** Returns a name without its place, as it is recorded. */
export function recorded(
  { ownPath }: Pick<Lookup, 'ownPath'>,
  { schema, name, path = ownPath }: RecordedName,
): RecordedName {
  return { schema, name, ...(schema === null && path !== undefined && { path }) };
}
