/** Row-level security for code that runs with the rights of an owner: the policies of a table may not apply to that role. */
import type { Queryable } from '../../db/database.ts';
import type { Table } from '../../model/table.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';
import { oidArray } from '../object-names.ts';

/** The role's OID is $1, the table is `c`: whether none of its policies apply to the role. */
const passes = `(SELECT r.rolsuper OR r.rolbypassrls OR NOT c.relforcerowsecurity AND pg_catalog.pg_has_role(r.oid, c.relowner, 'USAGE')
  FROM pg_catalog.pg_roles r WHERE r.oid OPERATOR(pg_catalog.=) $1)`;

/**
 * Returns a table as code with the rights of a role writes to it: without its policies, if they do not apply to the role.
 * stage.demand_rights checks it again.
 * @param role the OID of the owner of the code; undefined if it runs with the client's rights
 */
export async function asWrittenBy(
  tx: Queryable,
  table: Table,
  role: number | undefined,
): Promise<Table> {
  if (table.policies === null || role === undefined) return table;
  const [row] = await tx.query(
    `SELECT ${passes} AS passes FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) $2`,
    [role, table.oid],
  );
  // guard: the policies of a table count where they apply to the owner of the code
  return row?.['passes'] === 't' ? { ...table, policies: null } : table;
}

/** Returns the names that do not stand for tables whose policies do not apply to the role: reading these runs no code of policies. */
export async function readWithPolicies<Name extends QualifiedName>(
  tx: Queryable,
  names: readonly Name[],
  path: readonly number[],
  role: number,
): Promise<Name[]> {
  const rows = await tx.query(
    `SELECT n.place FROM pg_catalog.jsonb_array_elements($2) WITH ORDINALITY n(name, place)
     JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) stage.relation_in(n.name, $3)
     WHERE c.relkind OPERATOR(pg_catalog.=) 'r' AND ${passes}`,
    [role, JSON.stringify(names.map(({ schema, name }) => ({ schema, name }))), oidArray(path)],
  );
  const passed = new Set(rows.map(({ place }) => Number(place)));
  return names.filter((_, index) => !passed.has(index + 1));
}
