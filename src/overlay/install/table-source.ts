/** What stands in the place of a table in the queries of views, functions and statements. */
import { readTable } from '../../db/catalog-reader.ts';
import type { Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { Table } from '../../model/table.ts';
import { shownName } from '../../model/table.ts';
import { installTree, treeTables } from '../inheritance/tree-install.ts';
import { overlayName, treeName } from '../object-names.ts';
import type { DependentColumns } from '../views/dependent-columns.ts';
import { readDependents } from '../views/dependent-columns.ts';
import type { Target } from '../views/view-target.ts';
import { tableTarget } from '../views/view-target.ts';
import { installOverlay } from './install.ts';

/** What stands in the place of a relation. */
export interface Source {
  readonly oid: number;
  /** The overlay or staged view; null for a relation that is read as production has it. */
  readonly name: string | null;
  /** Where ONLY the table itself is meant; the same for what has no children. */
  readonly only: string | null;
  readonly hasChildren: boolean;
  /** What grouping by its key lets a query use; null where it has none, or no overlay. */
  readonly dependents: DependentColumns | null;
  readonly isStagedView: boolean;
  /** Where it can be written to. */
  readonly target: Target | null;
  /** OID of the table that a write to it goes to, null where it goes to none. */
  readonly table: number | null;
}

/**
 * Makes the overlay of a table, with those of its children, current.
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

/** A relation that is read as production has it. */
const noOverlay = {
  name: null,
  only: null,
  hasChildren: false,
  dependents: null,
  isStagedView: false,
  target: null,
  table: null,
};

/** Makes the overlay of a table alone current. */
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

/** @throws StageError for a table with row-level security: the policies of whoever asks would be applied in place of a view's owner's */
export function demandNoPolicies(table: Table): void {
  if (table.policies === null) return;
  throw new StageError(
    'statement_not_supported',
    `cannot read views of "${shownName(table.schema, table.name)}" with what is staged: it has row-level security`,
    { hint: 'Read the table itself, or make the view one with security_invoker.' },
  );
}

/** Whether a session staged rows before the table became one that cannot be staged. */
async function isStaged(tx: Queryable, oid: number): Promise<boolean> {
  const [overlay] = await tx.query('SELECT FROM stage.overlay WHERE relation = $1', [oid]);
  if (overlay === undefined) return false;
  return (await tx.query(`SELECT FROM stage_data.shadow_${oid} LIMIT 1`)).length > 0;
}

function outgrown({ schema, name, obstacle }: Table): StageError {
  return new StageError(
    'statement_not_supported',
    `cannot show what is staged in "${shownName(schema, name)}": it ${obstacle}`,
    { hint: 'Read production on a connection with service_reads=production.' },
  );
}
