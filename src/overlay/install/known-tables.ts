/** The definitions of tables that an overlay manager has read: reading one takes the server ten times as long as finding it unchanged. */
import { readFromCatalog, readTablesBy, settingsRead } from '../../db/catalog-reader.ts';
import type { Queryable } from '../../db/database.ts';
import type { Table } from '../../model/table.ts';

/** Maximum number of cached tables, to bound memory. */
const maxCached = 1000;

export class KnownTables {
  private readonly tables = new Map<number, Table>();

  /** Forgets all definitions. */
  forget(): void {
    this.tables.clear();
  }

  /**
   * Makes `readTable` read each table once in the transaction, and not at all if its definition is known. A change that another connection
   * commits meanwhile differs from the stamps that were read with the definition.
   */
  readIn(tx: Queryable): void {
    const found = new Map<number, Promise<Table | null>>();
    let settings: ReturnType<typeof settingsRead> | undefined;
    const readSettings = () => {
      settings ??= settingsRead(tx);
      return settings;
    };
    readTablesBy(tx, (oid) => {
      const table = found.get(oid) ?? this.read(tx, oid, readSettings);
      found.set(oid, table);
      return table;
    });
  }

  private async read(
    tx: Queryable,
    oid: number,
    settings: () => ReturnType<typeof settingsRead>,
  ): Promise<Table | null> {
    const known = this.tables.get(oid);
    // guard: a definition that is known is used while the table's overlay was made for it, and the table is unchanged
    if (known !== undefined && (await isAsBuilt(tx, known))) return known;
    const table = await readFromCatalog(tx, oid, settings);
    if (this.tables.size >= maxCached) this.tables.clear();
    if (table === null) this.tables.delete(oid);
    else this.tables.set(oid, table);
    return table;
  }
}

/**
 * Returns whether the table's overlay was made for this definition, and the table has not changed since. The stamp of an overlay that is
 * marked as outdated differs from every table's. The registry has the signature beside the stamps: after a restore of an older state of the
 * database, another definition may have the stamp that this one had.
 */
async function isAsBuilt(tx: Queryable, table: Table): Promise<boolean> {
  const { oid, signature, stamp, statementStamps } = table;
  const rows = await tx.query(
    `SELECT o.relation FROM stage.overlay o
     WHERE o.relation = $1::oid AND o.signature = $2 AND o.definition_stamp = $3 AND o.stamp = $4 AND o.stamp = (SELECT stage.table_stamp($1::oid))
       AND o.definition_stamp = (SELECT concat_ws(' ', stage.definition_stamp($1::oid), stage.system_stamp()))`,
    [oid, signature, stamp, statementStamps.table],
  );
  return rows.length > 0;
}
