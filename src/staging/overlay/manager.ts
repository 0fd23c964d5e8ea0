/** Makes sure that the overlays a write needs are there and current. */
import { readTable, serverMajor } from '../../db/catalog-reader.ts';
import type { Database, Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { ForeignKey, Table } from '../../model/table.ts';
import { shownName } from '../../model/table.ts';
import { installOverlay } from './install.ts';

export interface OverlayManager {
  /**
   * Makes sure that write targets, and every table their foreign keys reach, have current overlays.
   * Cheap to call, but not free: callers call it when a name resolved to no overlay or to a stale one.
   * @throws StageError `statement_not_supported` with a hint for a table that cannot be staged
   */
  ensure(relations: readonly number[]): Promise<void>;
}

/** Installations hold this advisory lock one after the other, so that several daemons never build the same overlay at once. */
const installationLock = 0x73746169;

/** Rebuilding a view waits for statements that use it; a client's open transaction must not block everybody for long. */
const lockTimeout = '5s';

/** Creates the manager over the service account's database. */
export function createOverlayManager(db: Database): OverlayManager {
  return {
    async ensure(relations) {
      await db.transaction(async (tx) => {
        await tx.query(`SELECT pg_advisory_xact_lock(${installationLock})`);
        await tx.query(`SET LOCAL lock_timeout = '${lockTimeout}'`);
        const tables = await readTables(tx, relations);
        const server = await serverMajor(tx);
        for (const table of tables.values()) await installOverlay(tx, table, server);
      });
    },
  };
}

/** Reads the write targets and what they need: the other end of each foreign key, and on from there wherever an action writes. */
async function readTables(tx: Queryable, targets: readonly number[]): Promise<Map<number, Table>> {
  const tables = new Map<number, Table>();
  const written = new Set<number>();
  const read = async (oid: number, because: string | null): Promise<Table> => {
    const known = tables.get(oid);
    if (known !== undefined) return known;
    const table = await readTable(tx, oid);
    if (table === null)
      throw new StageError('not_found', `no relation has the OID ${oid}`, { sqlstate: '42P01' });
    refuseObstacle(table, because);
    tables.set(oid, table);
    return table;
  };
  const queue = [...targets];
  for (let oid = queue.pop(); oid !== undefined; oid = queue.pop()) {
    if (written.has(oid)) continue;
    written.add(oid);
    const table = await read(oid, null);
    const name = shownName(table.schema, table.name);
    for (const { parent } of table.references) await read(parent.oid, name);
    for (const foreignKey of table.referencedBy) {
      await read(foreignKey.child.oid, name);
      if (writesChild(foreignKey)) queue.push(foreignKey.child.oid);
    }
  }
  return tables;
}

function writesChild(foreignKey: ForeignKey): boolean {
  const passive = ['no action', 'restrict'];
  return !passive.includes(foreignKey.onDelete) || !passive.includes(foreignKey.onUpdate);
}

/** The templates quote function bodies with this; a name that contains it would break out. */
const bodyQuote = '$body$';

function refuseObstacle(table: Table, because: string | null): void {
  const obstacle = JSON.stringify(table).includes(bodyQuote)
    ? `has ${bodyQuote} in its definition`
    : table.obstacle;
  if (obstacle === null) return;
  const name = shownName(table.schema, table.name);
  const target = because ?? name;
  const relation = because === null ? 'it' : `a foreign key links it with "${name}", which`;
  throw new StageError(
    'statement_not_supported',
    `cannot stage writes to "${target}": ${relation} ${obstacle}`,
    {
      hint: 'Such a table can be read through this session, but its changes have to be made outside of it.',
    },
  );
}
