/** The relations that replace a table in the queries of views, functions and statements. */
import { readTable } from '../../db/catalog-reader.ts';
import type { Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { Table } from '../../model/table.ts';
import { shownName } from '../../model/table.ts';
import { installTree, treeTables } from '../inheritance/tree-install.ts';
import { installOverlay } from '../install/install.ts';
import { isStaged } from '../install/linked-tables.ts';
import { overlayName, treeName } from '../object-names.ts';
import type { DependentColumns } from './dependent-columns.ts';
import { readDependents } from './dependent-columns.ts';
import type { Target } from './view-target.ts';
import { tableTarget } from './view-target.ts';

/** The replacement of a relation. */
export interface Source {
  readonly oid: number;
  /** The overlay or staged view; null for a relation that is read from production. */
  readonly name: string | null;
  /** The same for ONLY the table itself; equal to `name` where there are no children. */
  readonly only: string | null;
  readonly hasChildren: boolean;
  /** The columns that grouping by its key allows a query to use; null if it has none, or no overlay. */
  readonly dependents: DependentColumns | null;
  readonly isStagedView: boolean;
  /** The target of a write to it; null if it is not writable. */
  readonly target: Target | null;
  /** OID of the table that a write to it goes to; null if it goes to none. */
  readonly table: number | null;
}

/**
 * Makes the overlay of a table, with those of its children, current. Returns the relations that replace the table.
 * @throws StageError `statement_not_supported` for a table that cannot be read with staged rows
 */
export async function tableSource(
  tx: Queryable,
  oid: number,
  server: number,
  asOwner: boolean,
): Promise<Source> {
  const table = await readTable(tx, oid);
  const own = await overlaySource(tx, oid, table, server, asOwner);
  if (!table?.hasChildren) return own;
  for (const member of await treeTables(tx, oid)) {
    if (member !== oid) await overlaySource(tx, member, await readTable(tx, member), server, false);
  }
  const isWritable = await installTree(tx, oid, server);
  return {
    ...own,
    name: treeName(table),
    hasChildren: true,
    ...(!isWritable && { target: null, table: null }),
  };
}

/** A relation that is read from production. */
const noOverlay = {
  name: null,
  only: null,
  hasChildren: false,
  dependents: null,
  isStagedView: false,
  target: null,
  table: null,
};

/** Makes the overlay of the table alone current. */
async function overlaySource(
  tx: Queryable,
  oid: number,
  table: Table | null,
  server: number,
  asOwner: boolean,
): Promise<Source> {
  if (table === null || table.obstacle !== null) {
    if (table !== null && (await isStaged(tx, oid))) throw outgrown(table);
    return { ...noOverlay, oid };
  }
  if (asOwner) demandNoPolicies(table);
  await installOverlay(tx, table, server);
  const name = overlayName(table);
  const dependents = await readDependents(tx, oid);
  const target = tableTarget(table);
  return { ...noOverlay, oid, name, only: name, dependents, target, table: target.table };
}

/**
 * Refuses a table with row-level security.
 * @throws StageError `statement_not_supported`: the policies of the querying role would apply instead of those of the view's owner
 */
export function demandNoPolicies(table: Table): void {
  if (table.policies === null) return;
  throw new StageError(
    'statement_not_supported',
    `cannot read views of "${shownName(table.schema, table.name)}" with what is staged: it has row-level security`,
    { hint: 'Read the table itself, or make the view one with security_invoker.' },
  );
}

function outgrown({ schema, name, obstacle }: Table): StageError {
  return new StageError(
    'statement_not_supported',
    `cannot show what is staged in "${shownName(schema, name)}": it ${obstacle}`,
    { hint: 'Read production on a connection with service_reads=production.' },
  );
}
