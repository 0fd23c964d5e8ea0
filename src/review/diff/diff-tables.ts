/** Sources of a session's net changes, table by table: the shadow tables, changes of orphaned rows, or the audit after approval. */
import type { Queryable, Row } from '../../db/database.ts';
import type {
  ChangeCounts,
  NetCounts,
  OutlineColumn,
  TableOutline,
  Trigger,
} from '../../model/change.ts';
import type { SessionStatus } from '../../model/session.ts';

/** Builds the condition that a relation is hidden. $2 is whether only readable tables are shown. */
const hiddenAs = (relation: string) => `$2::boolean AND NOT stage.is_readable($1, ${relation})`;

const keyOf = (relation: string) =>
  `(SELECT to_jsonb(k.key_columns) FROM stage.overlay k WHERE k.relation = ${relation})`;

const stagedTables = `
SELECT t.*, t.relation AS current, ${keyOf('t.relation')} AS key, ${hiddenAs('t.relation')} AS hidden FROM (
  SELECT o.relation, o.shown_name AS name, 'staged' AS kind FROM stage.overlay o
  WHERE o.relation IN (SELECT stage.staged_relations($1))
  UNION ALL
  SELECT p.relation, p.table_name, 'parked' FROM stage.parked_table p WHERE p.session = $1
) t ORDER BY t.name COLLATE "C", t.relation`;

/** Selects the audit's tables. It skips from table to table by the index, without reading the entries of each. */
const appliedTables = `
WITH RECURSIVE t AS (
  (SELECT a.relation, a.table_name FROM stage.audit a WHERE a.session = $1 ORDER BY a.relation LIMIT 1)
  UNION ALL
  SELECT n.* FROM t CROSS JOIN LATERAL (
    SELECT a.relation, a.table_name FROM stage.audit a WHERE a.session = $1 AND a.relation > t.relation ORDER BY a.relation LIMIT 1
  ) n
)
SELECT t.relation, t.table_name AS name, 'applied' AS kind, n.current, ${keyOf('n.current')} AS key, ${hiddenAs('n.current')} AS hidden
FROM t CROSS JOIN LATERAL (SELECT stage.relation_of_approval($1, t.relation) AS current) n
ORDER BY t.table_name COLLATE "C", t.relation`;

/** One table of a diff. Its sources are SQL for FROM. */
export interface DiffTable {
  readonly relation: number;
  /** OID of the table now. It differs from that in the audit once overlays were bound again. 0 if it is not known. */
  readonly current: number;
  readonly name: string;
  /** Whether its changes are staged, orphaned and stored in the form of a diff, or applied. */
  readonly kind: TableRow['kind'];
  /** The columns of its key, in order; empty if it has none, or none is known. */
  readonly key: readonly string[];
  /** Whether only its counts may be shown. */
  readonly hidden: boolean;
  /**
   * Returns number, operation, row_id, before, after and texts of changes in order: those after the number $1, of the kind $2 unless it is
   * null, without the first $3, at most $4.
   */
  readonly page: string;
  /** Returns after, inserts, updates and deletes of each chunk of $1 changes. */
  readonly outline: string;
  /** Returns as `number` the numbers of all changes, and others between them. */
  readonly numbers: string;
  /** Returns `count`, the number of row changes that approval replays, or has applied. */
  readonly steps: string;
  /** Returns inserts, updates, deletes, and as `steps` the count of `steps`. */
  readonly counts: string;
}

/** A diff's data on a table besides its changes. */
export interface CountedTable extends ChangeCounts {
  readonly columns: readonly OutlineColumn[];
  readonly triggers: readonly Trigger[];
}

/**
 * Lists the tables of a session's diff, ordered by name.
 * @param readableOnly whether tables that a role that staged in the session may not read are hidden
 */
export async function diffTables(
  tx: Queryable,
  uuid: string,
  status: SessionStatus,
  readableOnly = false,
): Promise<DiffTable[]> {
  const applied = status === 'approved';
  const values = [uuid, String(readableOnly)];
  const rows = await tx.query(applied ? appliedTables : stagedTables, values);
  return rows.map((row) => ({
    ...sourcesOf(uuid, row as TableRow),
    kind: (row as TableRow).kind,
    current: Number(row['current']),
    key: JSON.parse(row['key'] ?? '[]') as string[],
    hidden: row['hidden'] === 't',
  }));
}

type TableRow = Row & {
  readonly relation: string;
  readonly name: string;
  readonly kind: 'staged' | 'parked' | 'applied';
};

type Sources = Omit<DiffTable, 'hidden' | 'kind' | 'current' | 'key'>;

function sourcesOf(uuid: string, { relation, name, kind }: TableRow): Sources {
  const oid = Number(relation);
  if (kind === 'staged') return stagedTable(uuid, oid, name);
  if (kind === 'parked') return parkedTable(uuid, oid, name);
  const outline = outlineOf(`stage.audit_diff('${uuid}', ${oid})`);
  const page = `stage.audit_diff('${uuid}', ${oid}, $1, $2, $3, $4)`;
  const steps = `(SELECT count(*) FROM stage.audit a WHERE a.session = '${uuid}' AND a.relation = ${oid})`;
  const numbers = `(SELECT a.lineage AS number FROM stage.audit a WHERE a.session = '${uuid}' AND a.relation = ${oid})`;
  return { relation: oid, name, page, outline, numbers, steps, counts: countsOf(outline, steps) };
}

/**
 * Counts the row changes that approval replays, or has production's triggers write. If foreign keys change a row several times in one
 * statement, approval applies only the outcome.
 */
const replayedOf = (uuid: string, relation: number) => `(
  SELECT count(*) FILTER (WHERE s._stage_origin NOT IN ('action', 'overlay'))
    + count(DISTINCT (s._stage_mutation, coalesce(s._stage_root, s._stage_seq))) FILTER (WHERE s._stage_origin = 'action') AS count
  FROM stage_data.shadow_${relation} s WHERE s._stage_session = '${uuid}')`;

function stagedTable(uuid: string, relation: number, name: string): Sources {
  return {
    relation,
    name,
    page: `stage_data.diff_${relation}('${uuid}', $1, $2, $3, $4)`,
    outline: `stage_data.outline_${relation}('${uuid}', $1)`,
    numbers: `(SELECT s._stage_seq AS number FROM stage_data.shadow_${relation} s WHERE s._stage_session = '${uuid}')`,
    steps: replayedOf(uuid, relation),
    counts: `stage_data.counts_${relation}('${uuid}')`,
  };
}

/** Returns the sources of a table with orphaned rows, whose changes are stored in the form of a diff. */
function parkedTable(uuid: string, relation: number, name: string): Sources {
  const changes = `(SELECT p.number, p.operation, p.row_id, p.before, p.after, p.texts FROM stage.parked_change p
    WHERE p.session = '${uuid}' AND p.relation = ${relation} ORDER BY p.number)`;
  const page = `(SELECT * FROM ${changes} a WHERE a.number > $1 AND ($2::text IS NULL OR a.operation = $2) OFFSET $3 LIMIT $4)`;
  const steps = `(SELECT count(*) FROM ${changes} a)`;
  const outline = outlineOf(changes);
  return {
    relation,
    name,
    page,
    outline,
    numbers: changes,
    steps,
    counts: countsOf(outline, steps),
  };
}

const outlineOf = (changes: string) => `(
  SELECT coalesce(lag(max(c.number)) OVER (ORDER BY c.chunk), 0) AS after, ${countsByKind('c')}
  FROM (SELECT a.number, a.operation, (row_number() OVER (ORDER BY a.number) - 1) / $1::int AS chunk FROM ${changes} a) c
  GROUP BY c.chunk ORDER BY c.chunk)`;

const countsByKind = (source: string) =>
  ['INSERT', 'UPDATE', 'DELETE']
    .map(
      (kind) => `count(*) FILTER (WHERE ${source}.operation = '${kind}') AS ${kind.toLowerCase()}s`,
    )
    .join(', ');

const countsOf = (outline: string, steps: string) => `(
  SELECT coalesce(sum(o.inserts), 0) AS inserts, coalesce(sum(o.updates), 0) AS updates, coalesce(sum(o.deletes), 0) AS deletes,
    (SELECT s.count FROM ${steps} s) AS steps
  FROM ${outline.replace('$1', String(oneChunk))} o)`;

/** Counts a table's changes within the database; null if there are none. */
export async function countChanges(tx: Queryable, table: DiffTable): Promise<ChangeCounts | null> {
  const [row] = await tx.query(
    `SELECT c.inserts, c.updates, c.deletes, c.steps FROM ${table.counts} c`,
  );
  const count = (kind: string) => Number(row?.[kind]);
  const net = { inserts: count('inserts'), updates: count('updates'), deletes: count('deletes') };
  const furtherChanges = count('steps') - net.inserts - net.updates - net.deletes;
  if (net.inserts + net.updates + net.deletes + furtherChanges === 0) return null;
  const { name, hidden } = table;
  return { table: name, ...net, furtherChanges, ...(hidden ? { hidden } : {}) };
}

const oneChunk = 2 ** 31 - 1;

/** Counts the changes that approval replays besides the net ones: each net change accounts for one. */
export async function countFurther(
  tx: Queryable,
  { steps }: DiffTable,
  { inserts, updates, deletes }: NetCounts,
): Promise<number> {
  const [row] = await tx.query(`SELECT s.count FROM ${steps} s`);
  return Number(row?.['count']) - inserts - updates - deletes;
}

const selectShape = `
SELECT to_jsonb(o.key_columns) AS key, (
  SELECT coalesce(jsonb_agg(jsonb_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
    'generated', a.attgenerated <> '') ORDER BY a.attnum), '[]')
  FROM pg_attribute a WHERE a.attrelid = o.relation AND a.attnum > 0 AND NOT a.attisdropped
) AS columns, EXISTS (
  SELECT FROM pg_class c JOIN pg_inherits i ON i.inhparent = c.oid WHERE c.oid = o.relation AND c.relkind = 'r'
) AS has_children, EXISTS (
  SELECT FROM pg_constraint k WHERE k.conrelid = o.relation AND k.confrelid = o.relation AND k.contype = 'f' AND NOT k.condeferrable
) AS references_itself
FROM stage.overlay o WHERE o.relation = $1`;

type Shape = Pick<TableOutline, 'key' | 'columns' | 'hasChildren' | 'referencesItself'>;

/** Reads the key and the columns of a table as it is now; empty if it no longer exists. */
export async function shapeOf(tx: Queryable, { current }: DiffTable): Promise<Shape> {
  const [shape] = await tx.query(selectShape, [current]);
  return {
    key: JSON.parse(shape?.['key'] ?? '[]') as string[],
    columns: JSON.parse(shape?.['columns'] ?? '[]') as OutlineColumn[],
    ...(shape?.['has_children'] === 't' ? { hasChildren: true } : {}),
    ...(shape?.['references_itself'] === 't' ? { referencesItself: true } : {}),
  };
}

/**
 * Selects the triggers that approval fires, including those of partitions. All staged changes count, because approval replays them whatever
 * they come to. Both sets are materialized: otherwise the planner may scan the staged rows for each trigger in the database.
 */
const selectTriggers = (uuid: string, relation: number) => `
WITH fired AS MATERIALIZED (
  SELECT t.tgname, t.tgtype, t.tgrelid FROM pg_trigger t
  WHERE t.tgrelid IN (SELECT ${relation}::oid UNION SELECT p.relid FROM pg_partition_tree(${relation}) p)
    AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND t.tgparentid = 0
), known AS MATERIALIZED (
  SELECT k.value ->> 'name' AS name, coalesce(k.value ->> 'obstacle',
    CASE WHEN k.value ?| '{asOwner,with}' THEN coalesce('fires together with ' || (k.value ->> 'with') || ', which ', '') || stage.unfired_as_owner('${uuid}', ${relation}) END) AS obstacle
  FROM stage.overlay o CROSS JOIN jsonb_array_elements(o.triggers) k WHERE o.relation = ${relation}
), staged AS MATERIALIZED (
  SELECT DISTINCT CASE s._stage_op WHEN 'I' THEN 'INSERT' WHEN 'U' THEN 'UPDATE' ELSE 'DELETE' END AS event
  FROM stage_data.shadow_${relation} s WHERE s._stage_session = '${uuid}' AND s._stage_origin <> 'overlay'
)
SELECT DISTINCT ON (t.tgname) t.tgname AS name, CASE WHEN t.tgtype & 2 <> 0 THEN 'BEFORE' ELSE 'AFTER' END AS timing, e.events::text AS events,
  CASE WHEN k.name IS NULL THEN 'was created since, or belongs to a partition' ELSE k.obstacle END AS unstaged
FROM fired t LEFT JOIN known k ON k.name = t.tgname
CROSS JOIN LATERAL (
  SELECT jsonb_agg(s.event ORDER BY s.event = 'UPDATE', s.event <> 'INSERT') AS events FROM staged s
  WHERE t.tgtype & CASE s.event WHEN 'INSERT' THEN 4 WHEN 'DELETE' THEN 8 ELSE 16 END <> 0
) e
WHERE e.events IS NOT NULL
ORDER BY t.tgname, t.tgrelid`;

/** Lists the triggers of production that run when a table's staged changes are applied; none if nothing is left to apply. */
export async function triggersOf(
  tx: Queryable,
  uuid: string,
  { relation, kind }: DiffTable,
): Promise<Trigger[]> {
  if (kind !== 'staged') return [];
  const rows = await tx.query(selectTriggers(uuid, relation));
  return rows.map((row) => ({
    name: String(row['name']),
    timing: row['timing'] === 'BEFORE' ? 'BEFORE' : 'AFTER',
    events: JSON.parse(row['events'] ?? '[]') as Trigger['events'],
    unstaged: row['unstaged'] ?? null,
  }));
}

/** Returns the key and the columns of a table, and the triggers that approval fires on it; nothing for a hidden table. */
export async function describe(
  tx: Queryable,
  uuid: string,
  table: DiffTable,
): Promise<Shape & Pick<TableOutline, 'triggers'>> {
  // guard: the outline names nothing of hidden tables
  if (table.hidden) return { key: [], columns: [], triggers: [] };
  return { ...(await shapeOf(tx, table)), triggers: await triggersOf(tx, uuid, table) };
}

/** Counts the changes of a session, table by table. */
export async function countTables(
  tx: Queryable,
  uuid: string,
  tables: readonly DiffTable[],
): Promise<CountedTable[]> {
  const counts: CountedTable[] = [];
  for (const table of tables) {
    const entry = await countChanges(tx, table);
    if (entry === null) continue;
    const { columns, triggers } = await describe(tx, uuid, table);
    counts.push({ ...entry, columns, triggers });
  }
  return counts;
}

/**
 * Returns the digest of everything that approval replays. For an approved session it is the digest that was approved, because its staged
 * steps are gone. Each round has a digest of its own, even if it changed nothing: an approver must have read what was requested in between.
 */
export async function digestOf(tx: Queryable, uuid: string): Promise<string> {
  const [row] = await tx.query(
    'SELECT coalesce(s.digest, stage.round_digest(stage.steps_digest(s.id), s.round + (s.status = $2)::int)) AS digest FROM stage.session s WHERE s.id = $1',
    [uuid, 'active'],
  );
  return String(row?.['digest']);
}
