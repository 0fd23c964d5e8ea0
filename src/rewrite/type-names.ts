/** Queries the names of types. */
import type { InternalStatement, ServerQuery } from '../server-connection/internal-statement.ts';
import type { QualifiedName } from '../sql/functions/calls.ts';

/** The first OID of objects that are not the server's own. */
export const firstOfUsers = 16_384;

const namesOfTypes: InternalStatement = {
  text: `SELECT n.nspname, t.typname FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) t.typnamespace
    WHERE t.oid OPERATOR(pg_catalog.=) ANY ($1::pg_catalog.oid[])`,
};

/** A query for the names of types by OID, as they must be written under the search path. */
const writtenNames: InternalStatement = {
  text: `SELECT pg_catalog.format_type(t.type, -1)
    FROM pg_catalog.unnest($1::pg_catalog.oid[]) WITH ORDINALITY t(type, position) ORDER BY t.position`,
};

/** Returns the names of those parameter types that may call functions. */
export async function callingTypes(
  query: ServerQuery,
  types: readonly number[],
): Promise<readonly QualifiedName[]> {
  const ofUsers = types.filter((type) => type >= firstOfUsers);
  const rows = await query(namesOfTypes, [Buffer.from(`{${ofUsers.join(',')}}`)]);
  return rows.map(([schema, name]) => ({ schema: String(schema), name: String(name) }));
}

/** Returns the names of types, as a statement can write them. */
export async function typeNames(query: ServerQuery, types: readonly number[]): Promise<string[]> {
  if (types.length === 0) return [];
  const rows = await query(writtenNames, [Buffer.from(`{${types.join(',')}}`)]);
  return rows.map(([name]) => String(name));
}
