/** Conflicts: what has changed in production under a session's staged rows. */
import type { Database, Queryable, Row } from '../db/database.ts';
import type { Conflict, ConflictKind } from '../model/change.ts';
import { ignoredColumnsOf } from '../model/ignored-columns.ts';
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

/** Those that do not count come last, and crowd out none of the others. */
const conflictsOf = (relation: number) => `
WITH found AS (
  SELECT * FROM stage_data.conflicts_${relation}($1, $2, $3, ARRAY(SELECT jsonb_array_elements_text($4)))
)
(SELECT * FROM found WHERE NOT ignored LIMIT ${mostConflicts})
UNION ALL (SELECT * FROM found WHERE ignored LIMIT ${mostConflicts})`;
const reachedIn = (relation: number) =>
  `SELECT * FROM stage_data.reached_${relation}($1) LIMIT ${mostConflicts}`;

/** What the service takes for a conflict, in all sessions alike. */
export interface ConflictRules {
  /** Patterns of columns that do not count; none when left out. */
  readonly ignoredColumns?: readonly string[] | undefined;
}

/** Whether a conflict stands in the way of approval. */
export const counts = ({ ignored }: Conflict): boolean => ignored !== true;

/**
 * Makes the check that approve would make, and changes nothing. A final session has no conflicts. Those that do not count come last.
 * @param readableOnly whether no more is told than that there is a conflict, where a role that staged in the session may not
 *   read the table
 * @throws StageError `session_not_found`, `took_too_long`
 */
export async function findConflicts(
  db: Database,
  id: string,
  readableOnly = false,
  { ignoredColumns }: ConflictRules = {},
): Promise<Conflict[]> {
  const { status, conflictScope } = await getSession(db, id);
  if (status === 'approved' || status === 'rejected') return [];
  const uuid = sessionUuid(id);
  return onCurrentOverlays(db, uuid, (refuse) =>
    inSnapshot(db, async (tx) => {
      const relations = await reviewRelations(tx, uuid);
      refuse(relations);
      const found = await detectConflicts(tx, uuid, relations, { conflictScope, ignoredColumns });
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

/** What is compared of a session's rows. */
interface Compared extends ConflictRules {
  readonly conflictScope: ConflictScope;
}

/**
 * Finds a session's conflicts in the given tables. Those that do not count come last.
 * @param kept what lockTouchedRows gave in the same transaction; nothing where no rows are locked
 */
export async function detectConflicts(
  tx: Queryable,
  uuid: string,
  relations: readonly ReviewRelation[],
  { conflictScope, ignoredColumns = [] }: Compared,
  kept: KeptTables = new Set(),
): Promise<Conflict[]> {
  const found = await parkedConflicts(tx, uuid);
  const ignored: Conflict[] = [];
  for (const { relation, name, staged, current } of relations) {
    if (!current) {
      found.push(schemaConflict(name, null, await changeOf(tx, relation)));
      continue;
    }
    const columns = JSON.stringify(ignoredColumnsOf(ignoredColumns, name));
    const values = [uuid, conflictScope, String(kept.has(relation)), columns];
    const rows = staged ? await tx.query(conflictsOf(relation), values) : [];
    rows.push(...(await tx.query(reachedIn(relation), [uuid])));
    const conflicts = rows.map((row) => toConflict(name, row as ConflictRow));
    found.push(...conflicts.filter(counts));
    ignored.push(...conflicts.filter((conflict) => !counts(conflict)));
    if (found.length >= mostConflicts) break;
  }
  return [...found.slice(0, mostConflicts), ...ignored.slice(0, mostConflicts)];
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
    const { table, kind, ignored } = conflict;
    const facts = { ...emptyConflict, table, kind, ...(ignored && { ignored }) };
    return tables.has(table) ? { ...facts, hidden: true } : conflict;
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
    ...(conflict.sessionDeletes ? { session_deletes: true } : {}),
    ...(conflict.hidden ? { hidden: true } : {}),
  };
}

/** Conflicts as the bodies of answers have them: those that stand in the way, and those that do not count. */
export function conflictLists(found: readonly Conflict[]): {
  readonly conflicts: JsonObject[];
  readonly ignored: JsonObject[];
} {
  return {
    conflicts: found.filter(counts).map(conflictFacts),
    ignored: found.filter((conflict) => !counts(conflict)).map(conflictFacts),
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
  readonly ignored?: string;
  readonly deletes: string;
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
    ...deletesOf(row.deletes),
    ...textsOf(row.texts),
    ...(row.ignored === 't' ? { ignored: true } : {}),
  };
}

/** The mark of a row that the session deletes, by what SQL says of it. */
export const deletesOf = (deletes: string | null | undefined): Pick<Conflict, 'sessionDeletes'> =>
  deletes === 't' ? { sessionDeletes: true } : {};

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
