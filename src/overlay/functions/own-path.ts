/** The search paths of functions with SET search_path: the names in them are looked up there, whoever calls them. */
import type { Queryable } from '../../db/database.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';

/**
 * A name as it is recorded, with the search path under which it is looked up unless that is the caller's, and the OID of the role whose
 * rights apply unless these are the caller's.
 */
export interface RecordedName extends QualifiedName {
  readonly path?: readonly string[];
  readonly role?: number;
}

/** The schemas in which names are resolved. */
export interface Lookup {
  /** OIDs of the schemas, in order. */
  readonly path: readonly number[];
  /** The names of the schemas of a function with SET search_path, and of those that it calls. */
  readonly ownPath?: readonly string[] | undefined;
  /** The OID of the owner of a function that runs with the owner's rights, also for those that it calls. */
  readonly role?: number | undefined;
}

interface CalledFunction {
  readonly path: readonly string[] | null;
  readonly definer: { readonly role: number } | null;
}

/**
 * Returns the schemas in which a function finds names, which are those of its SET clause, or else those of its caller; and whose rights
 * apply to it.
 */
export async function lookupOf(
  tx: Queryable,
  caller: Lookup,
  { path: ownPath, definer }: CalledFunction,
): Promise<Lookup> {
  const role = definer?.role ?? caller.role;
  if (ownPath === null) return { path: caller.path, ownPath: caller.ownPath, role };
  const rows = await tx.query(
    // the transaction's path may have schemas of users
    `SELECT n.oid FROM pg_catalog.json_array_elements_text($1::pg_catalog.json) WITH ORDINALITY s(name, place)
     JOIN pg_catalog.pg_namespace n ON n.nspname OPERATOR(pg_catalog.=) s.name::pg_catalog.name ORDER BY s.place`,
    [JSON.stringify(ownPath)],
  );
  return { path: rows.map(({ oid }) => Number(oid)), ownPath, role };
}

/** Returns a name without its place, as it is recorded. */
export function recorded(
  lookup: Pick<Lookup, 'ownPath' | 'role'>,
  { schema, name, path = lookup.ownPath, role = lookup.role }: RecordedName,
): RecordedName {
  return {
    ...{ schema, name },
    ...(schema === null && path !== undefined && { path }),
    ...(role !== undefined && { role }),
  };
}
