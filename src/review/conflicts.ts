/** Conflicts: changes of production under a session's staged rows. */
import type { Database, Queryable, Row } from '../db/database.ts';
import { columnsMatching } from '../model/column-patterns.ts';
import type { Conflict, ConflictKind } from '../model/conflict.ts';
import { conflictShape } from '../model/conflict.ts';
import type { JsonObject } from '../model/json.ts';
import { JsonText } from '../model/json.ts';
import { inOrder } from '../model/member-order.ts';
import type { ConflictScope } from '../model/session.ts';
import { writerOf } from '../model/shape.ts';
import { sessionUuid } from '../staging/session-id.ts';
import { getSession } from '../staging/session-store.ts';
import type { ReviewRelation } from './current-overlays.ts';
import { onCurrentOverlays, reviewRelations } from './current-overlays.ts';
import { textsOf } from './diff/change-row.ts';
import { noteConflicts, rowsInConflict } from './looks.ts';
import { inSnapshot } from './snapshot.ts';

/** The maximum number of conflicts in a result: nobody reads more, and more would fill memory. */
const mostConflicts = 10_000;

/** Selects the conflicts of a table. Ignored ones come last and have a limit of their own, so that they displace no others. */
const conflictsOf = (relation: number) => `
WITH found AS (
  SELECT * FROM stage_data.conflicts_${relation}($1, $2, $3, ARRAY(SELECT jsonb_array_elements_text($4)))
)
(SELECT * FROM found WHERE NOT ignored LIMIT ${mostConflicts})
UNION ALL (SELECT * FROM found WHERE ignored LIMIT ${mostConflicts})`;
const reachedIn = (relation: number) =>
  `SELECT * FROM stage_data.reached_${relation}($1) LIMIT ${mostConflicts}`;

/** The service's rules for conflicts, the same in all sessions. */
export interface ConflictRules {
  /** Patterns of ignored columns; none by default. */
  readonly ignoredColumns?: readonly string[] | undefined;
}

/** Returns whether a conflict blocks approval. */
export const counts = ({ ignored }: Conflict): boolean => ignored !== true;

/**
 * Runs the same check as approve, and changes nothing: only the number of rows is recorded, for briefs. A final session has no conflicts.
 * Ignored conflicts come last.
 * @param readableOnly whether only the existence of a conflict is reported where a role that staged in the session may not read the table
 * @throws StageError `session_not_found`, `took_too_long`, or `busy` while tables are being altered
 */
export async function findConflicts(
  db: Database,
  id: string,
  readableOnly = false,
  { ignoredColumns }: ConflictRules = {},
): Promise<Conflict[]> {
  const seen = await getSession(db, id);
  const { status, conflictScope } = seen;
  if (status === 'approved' || status === 'rejected') return [];
  const uuid = sessionUuid(id);
  const { rows, shown } = await onCurrentOverlays(db, uuid, (refuse) =>
    inSnapshot(db, async (tx) => {
      const relations = await reviewRelations(tx, uuid);
      refuse(relations);
      const found = await detectConflicts(tx, uuid, relations, { conflictScope, ignoredColumns });
      return {
        rows: rowsInConflict(found.filter(counts)),
        // guard: conflicts in hidden tables are withheld
        shown: readableOnly ? await withhold(tx, uuid, found) : found,
      };
    }),
  );
  await noteConflicts(db, seen, rows);
  return shown;
}

/** The tables whose locked rows all equal their base images. */
export type LockedTables = ReadonlySet<number>;

/**
 * Locks every production row that a session touched, until the transaction ends. It waits for none of them: if one is locked, it fails with
 * 55P03.
 */
export async function lockTouchedRows(
  tx: Queryable,
  uuid: string,
  relations: readonly ReviewRelation[],
): Promise<LockedTables> {
  const locked = new Set<number>();
  for (const { relation, staged, current } of relations) {
    if (!(staged && current)) continue;
    const [row] = await tx.query(`SELECT stage_data.lock_${relation}($1) AS kept`, [uuid]);
    if (row?.['kept'] === 't') locked.add(relation);
  }
  return locked;
}

/** The rules by which a session's rows are compared. */
interface Compared extends ConflictRules {
  readonly conflictScope: ConflictScope;
}

/**
 * Finds a session's conflicts in the given tables. Ignored conflicts come last.
 * @param locked the result of `lockTouchedRows` in the same transaction; empty if no rows are locked
 */
export async function detectConflicts(
  tx: Queryable,
  uuid: string,
  relations: readonly ReviewRelation[],
  { conflictScope, ignoredColumns = [] }: Compared,
  locked: LockedTables = new Set(),
): Promise<Conflict[]> {
  const found = await parkedConflicts(tx, uuid);
  const ignored: Conflict[] = [];
  for (const table of relations) {
    const { relation, name, staged, current } = table;
    if (!current) {
      found.push(schemaConflict(name, null, await changeOf(tx, relation)));
      continue;
    }
    const columns = JSON.stringify(columnsMatching(ignoredColumns, name));
    const values = [uuid, conflictScope, String(locked.has(relation)), columns];
    const rows = staged ? await tx.query(conflictsOf(relation), values) : [];
    rows.push(...(await tx.query(reachedIn(relation), [uuid])));
    const conflicts = rows.map((row) => toConflict(table, row as ConflictRow));
    found.push(...conflicts.filter(counts));
    ignored.push(...conflicts.filter((conflict) => !counts(conflict)));
    if (found.length >= mostConflicts) break;
  }
  return [...found.slice(0, mostConflicts), ...ignored.slice(0, mostConflicts)];
}

/** Selects those of the tables with the shown names in $2 that a role that staged in the session may not read. */
const unreadable = `
WITH named AS MATERIALIZED (
  SELECT t.* FROM (
    SELECT o.relation, o.shown_name AS name FROM stage.overlay o
    UNION ALL SELECT p.relation, p.table_name FROM stage.parked_table p WHERE p.session = $1
  ) t WHERE t.name IN (SELECT jsonb_array_elements_text($2::jsonb))
)
SELECT n.name FROM named n WHERE NOT stage.is_readable($1, n.relation)`;

/** Reduces conflicts to their existence in tables that a role that staged in the session may not read. */
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

/** Converts a conflict to the form that it has in the facts of an error, and so in the REST body. */
export const conflictFacts = writerOf(conflictShape);

/** Converts conflicts to the form that they have in response bodies: those that block approval, and ignored ones. */
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

function toConflict({ name, key, columns }: ReviewRelation, row: ConflictRow): Conflict {
  // without a field, the sides are whole rows
  const side = (text: string | null) =>
    text === null ? null : inOrder(text, row.field === null ? columns : []);
  return {
    table: name,
    rowId: inOrder(row.row_id, key),
    field: row.field,
    kind: row.kind,
    sessionBase: side(row.session_base),
    sessionNew: side(row.session_new),
    productionCurrent: side(row.production_current),
    ...deletesOf(row.deletes),
    ...textsOf(row.texts),
    ...(row.ignored === 't' ? { ignored: true } : {}),
  };
}

/** Returns the mark of a row that the session deletes. @param deletes the SQL boolean */
export const deletesOf = (deletes: string | null | undefined): Pick<Conflict, 'sessionDeletes'> =>
  deletes === 't' ? { sessionDeletes: true } : {};

/** Reads schema conflicts: one for each column, or else table, that a migration changed under staged rows. */
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

/** Describes what happened to a table whose overlay is outdated and cannot be rebuilt. */
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
