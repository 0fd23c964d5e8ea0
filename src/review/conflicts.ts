/** Conflicts: what has changed in production under a session's staged rows. */
import type { Database, Queryable, Row } from '../db/database.ts';
import type { Conflict, ConflictKind } from '../model/change.ts';
import type { JsonObject } from '../model/json.ts';
import { JsonText } from '../model/json.ts';
import type { ConflictScope } from '../model/session.ts';
import { sessionUuid } from '../staging/session-id.ts';
import { getSession } from '../staging/session-store.ts';
import type { ReviewRelation } from './current-overlays.ts';
import { onCurrentOverlays, reviewRelations } from './current-overlays.ts';
import { textsOf } from './diff/change-row.ts';
import { inSnapshot } from './snapshot.ts';

/** Nobody reads more; counting on would only fill memory. */
const mostConflicts = 10_000;

const conflictsOf = (relation: number) =>
  `SELECT * FROM stage_data.conflicts_${relation}($1, $2, $3) LIMIT ${mostConflicts}`;
const reachedIn = (relation: number) =>
  `SELECT * FROM stage_data.reached_${relation}($1) LIMIT ${mostConflicts}`;

/**
 * Makes the check that approve would make, and changes nothing. A final session has no conflicts.
 * @param readableOnly whether no more is told than that there is a conflict, where a role that staged in the session may not
 *   read the table
 * @throws StageError `session_not_found`, `took_too_long`
 */
export async function findConflicts(
  db: Database,
  id: string,
  readableOnly = false,
): Promise<Conflict[]> {
  const { status, conflictScope } = await getSession(db, id);
  if (status === 'approved' || status === 'rejected') return [];
  const uuid = sessionUuid(id);
  return onCurrentOverlays(db, uuid, (refuse) =>
    inSnapshot(db, async (tx) => {
      const relations = await reviewRelations(tx, uuid);
      refuse(relations);
      const found = await detectConflicts(tx, uuid, relations, conflictScope);
      // guard: conflicts in hidden tables are withheld
      return readableOnly ? withhold(tx, uuid, found) : found;
    }),
  );
}

/** The tables in which the locked rows are what the session first saw of them. */
export type KeptTables = ReadonlySet<number>;

/** Locks every production row that a session touched, until the transaction ends. Waits for none of them: 55P03 says that one is held. */
export async function lockTouchedRows(
  tx: Queryable,
  uuid: string,
  relations: readonly ReviewRelation[],
): Promise<KeptTables> {
  const kept = new Set<number>();
  for (const { relation, staged, current } of relations) {
    if (!(staged && current)) continue;
    const [row] = await tx.query(`SELECT stage_data.lock_${relation}($1) AS kept`, [uuid]);
    if (row?.['kept'] === 't') kept.add(relation);
  }
  return kept;
}

/**
 * Finds a session's conflicts in the given tables.
 * @param kept what lockTouchedRows gave in the same transaction; nothing where no rows are locked
 */
export async function detectConflicts(
  tx: Queryable,
  uuid: string,
  relations: readonly ReviewRelation[],
  scope: ConflictScope,
  kept: KeptTables = new Set(),
): Promise<Conflict[]> {
  const found = await parkedConflicts(tx, uuid);
  for (const { relation, name, staged, current } of relations) {
    if (!current) {
      found.push(schemaConflict(name, null, await changeOf(tx, relation)));
      continue;
    }
    const values = [uuid, scope, String(kept.has(relation))];
    const rows = staged ? await tx.query(conflictsOf(relation), values) : [];
    rows.push(...(await tx.query(reachedIn(relation), [uuid])));
    found.push(...rows.map((row) => toConflict(name, row as ConflictRow)));
    if (found.length >= mostConflicts) return found.slice(0, mostConflicts);
  }
  return found;
}

/** Of the tables with the shown names of $2, those that a role that staged in the session may not read. */
const unreadable = `
WITH named AS MATERIALIZED (
  SELECT t.* FROM (
    SELECT o.relation, o.shown_name AS name FROM stage.overlay o
    UNION ALL SELECT p.relation, p.table_name FROM stage.parked_table p WHERE p.session = $1
  ) t WHERE t.name IN (SELECT jsonb_array_elements_text($2::jsonb))
)
SELECT n.name FROM named n WHERE NOT stage.is_readable($1, n.relation)`;

/** Leaves of conflicts in tables that a role that staged in the session may not read no more than that they are there. */
export async function withhold(
  tx: Queryable,
  uuid: string,
  conflicts: readonly Conflict[],
): Promise<Conflict[]> {
  const names = [...new Set(conflicts.map(({ table }) => table))];
  const rows = await tx.query(unreadable, [uuid, JSON.stringify(names)]);
  const tables = new Set(rows.map((row) => row['name']));
  return conflicts.map((conflict) => {
    const { table, kind } = conflict;
    return tables.has(table) ? { ...emptyConflict, table, kind, hidden: true } : conflict;
  });
}

/** A conflict as it stands in the facts of an error, and so in the REST body. */
export function conflictFacts(conflict: Conflict): JsonObject {
  return {
    table: conflict.table,
    row_id: conflict.rowId,
    field: conflict.field,
    kind: conflict.kind,
    session_base: conflict.sessionBase,
    session_new: conflict.sessionNew,
    production_current: conflict.productionCurrent,
    texts: conflict.texts,
    reason: conflict.reason,
    ...(conflict.hidden ? { hidden: true } : {}),
  };
}

type ConflictRow = Row & {
  readonly kind: ConflictKind;
  readonly row_id: string;
  readonly field: string | null;
  readonly session_base: string | null;
  readonly session_new: string | null;
  readonly production_current: string | null;
  readonly texts: string | null;
};

function toConflict(table: string, row: ConflictRow): Conflict {
  return {
    table,
    rowId: new JsonText(row.row_id),
    field: row.field,
    kind: row.kind,
    sessionBase: toJson(row.session_base),
    sessionNew: toJson(row.session_new),
    productionCurrent: toJson(row.production_current),
    ...textsOf(row.texts),
  };
}

/** One conflict for each column, or else table, in which a migration met rows that the session had staged before it. */
async function parkedConflicts(tx: Queryable, uuid: string): Promise<Conflict[]> {
  const rows = await tx.query(
    `SELECT p.table_name, c.name, p.reasons ->> coalesce(c.name, '') AS reason FROM stage.parked_table p LEFT JOIN unnest(p.columns) WITH ORDINALITY c (name, number) ON true
     WHERE p.session = $1 ORDER BY p.table_name COLLATE "C", p.relation, c.number`,
    [uuid],
  );
  return rows.map((row) =>
    schemaConflict(String(row['table_name']), row['name'] ?? null, row['reason']),
  );
}

/** What has become of a table whose overlay is not what it was, and cannot be made anew. */
async function changeOf(tx: Queryable, relation: number): Promise<string> {
  const [row] = await tx.query('SELECT FROM pg_class WHERE oid = $1', [relation]);
  return row === undefined
    ? 'the table was dropped'
    : 'its definition is one that cannot be staged any more';
}

function schemaConflict(
  table: string,
  field: string | null,
  reason: string | null | undefined,
): Conflict {
  return { ...emptyConflict, table, field, kind: 'schema', ...(reason ? { reason } : {}) };
}

const emptyConflict: Omit<Conflict, 'table' | 'kind'> = {
  rowId: new JsonText('null'),
  field: null,
  sessionBase: null,
  sessionNew: null,
  productionCurrent: null,
};

const toJson = (text: string | null) => (text === null ? null : new JsonText(text));
