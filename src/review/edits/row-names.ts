/** Names and numbers of staged rows, for those who edit them. */
import type { Queryable } from '../../db/database.ts';
import type { Hidden, Operation } from '../../model/change.ts';
import type { JsonObject, JsonText } from '../../model/json.ts';
import type { Lineage, StagedTable } from './lineages.ts';
import { listLineages } from './lineages.ts';

export interface UnstagedRow {
  readonly table: string;
  readonly rowId: JsonText | null;
  /** Its net change before; null if it had none. */
  readonly type: Operation | null;
  /** Whether it was unstaged as a dependent of requested rows. */
  readonly isDependent: boolean;
  readonly hidden?: Hidden;
}

export interface RowCount {
  readonly table: string;
  readonly rows: number;
}

/** The maximum number of rows that are named. */
export const mostNamed = 1_000;

/** Names lineages, up to the maximum number. */
export class Names {
  readonly #tx: Queryable;
  readonly #uuid: string;
  readonly #tables: readonly StagedTable[];

  constructor(tx: Queryable, uuid: string, tables: readonly StagedTable[]) {
    this.#tx = tx;
    this.#uuid = uuid;
    this.#tables = tables;
  }

  async of(lineages: readonly Lineage[], isDependent: boolean): Promise<UnstagedRow[]> {
    const rows: UnstagedRow[] = [];
    for (const staged of this.#tables) {
      const { relation, name: table, hidden } = staged;
      const roots = new Set(
        lineages.flatMap((each) => (each.relation === relation ? each.root : [])),
      );
      if (roots.size === 0 || rows.length >= mostNamed) continue;
      const all = await listLineages(this.#tx, this.#uuid, staged);
      const named = all.filter(({ root }) => roots.has(root)).slice(0, mostNamed - rows.length);
      rows.push(
        ...named.map(({ rowId, type }) => {
          // guard: dependents in hidden tables are not named
          if (hidden) return { table, rowId: null, type, isDependent, hidden };
          return { table, rowId, type, isDependent };
        }),
      );
    }
    return rows;
  }
}

/** Counts rows by table. @param whole tables of which all rows count */
export async function countRows(
  tx: Queryable,
  uuid: string,
  tables: readonly StagedTable[],
  whole: readonly number[],
  lineages: readonly Lineage[],
): Promise<RowCount[]> {
  const counts: RowCount[] = [];
  for (const { relation, name: table } of tables) {
    if (whole.includes(relation)) {
      const [row] = await tx.query(
        `SELECT count(*) FROM stage_data.shadow_${relation} s WHERE s._stage_session = $1 AND s._stage_origin <> 'overlay'`,
        [uuid],
      );
      counts.push({ table, rows: Number(row?.['count']) });
    }
    const rows = lineages.filter((lineage) => lineage.relation === relation).length;
    if (rows > 0) counts.push({ table, rows });
  }
  return counts;
}

/** Counts the lineages of a session in a table. */
export async function countLineages(
  tx: Queryable,
  uuid: string,
  relation: number,
): Promise<number> {
  const [row] = await tx.query(
    `SELECT count(*) FROM stage_data.shadow_${relation} s WHERE s._stage_session = $1 AND s._stage_root IS NULL AND s._stage_origin <> 'overlay'`,
    [uuid],
  );
  return Number(row?.['count']);
}

/** Converts counts to the form that they have in bodies. */
export const countFacts = (counts: readonly RowCount[]): JsonObject[] =>
  counts.map(({ table, rows }) => ({ table, rows }));

/** Converts a row to the form that it has in bodies. */
export function rowFacts({ table, rowId, type, hidden }: UnstagedRow): JsonObject {
  return { table, row_id: rowId, type, ...(hidden ? { hidden } : {}) };
}
