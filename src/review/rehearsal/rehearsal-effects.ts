/** Effects of a rehearsal on production: read after it in its transaction, and compared with the state before it. */
import type { Queryable, Row } from '../../db/database.ts';
import type { Change, Hidden, NetCounts, Operation } from '../../model/change.ts';
import { inOrder } from '../../model/member-order.ts';
import type { Differing, DifferingRow, LandingCounts, SideEffects } from '../../model/rehearsal.ts';
import { shownName } from '../../model/table.ts';
import { fetchRows, openCursor } from '../stream-rows.ts';

const cursor = 'stage_rehearsal';

/** The maximum number of rows that are returned of each table, and of characters of all rows. */
const mostRows = 100;
const mostCharacters = 4_000_000;

/** Selects the first transaction ID after the snapshot: those of the rehearsal do not precede it. */
const selectBefore = `
SELECT (pg_snapshot_xmax(pg_current_snapshot())::text::numeric % 4294967296)::bigint AS since, stage.counted_operations() AS counted`;

const selectRehearsed = `
SELECT r.* FROM stage.rehearsed($1::uuid, $2::bigint, $3::bigint, $4::jsonb, ${mostRows}) r`;

const selectLanding = `
SELECT o.shown_name AS name, $2::boolean AND NOT stage.is_readable($1, r.relation) AS hidden,
  count(*) FILTER (WHERE l.operation = 'INSERT') AS inserts, count(*) FILTER (WHERE l.operation = 'UPDATE') AS updates,
  count(*) FILTER (WHERE l.operation = 'DELETE') AS deletes
FROM stage.staged_relations($1) AS r (relation) JOIN stage.overlay o ON o.relation = r.relation
CROSS JOIN LATERAL stage.landed($1, r.relation) l
GROUP BY o.shown_name, r.relation ORDER BY o.shown_name COLLATE "C", r.relation`;

const selectTables = `
SELECT c.oid, n.nspname, c.relname, $2::boolean AND NOT stage.is_readable($1, c.oid) AS hidden,
  jsonb_path_query_array(stage.table_key(c.oid), '$.key[*].name') AS key,
  (SELECT jsonb_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
FROM jsonb_array_elements_text($3::jsonb) AS r (oid) JOIN pg_class c ON c.oid = r.oid::oid JOIN pg_namespace n ON n.oid = c.relnamespace`;

export interface EffectRules {
  readonly scanRows: number;
  readonly readableOnly: boolean;
}

export interface Effects {
  /** The net changes that approval would make to the session's own rows, by table. */
  readonly wouldLand: readonly LandingCounts[];
  /** Reads the other effects in the tables that were written. */
  readBeyond(): Promise<{ differs: readonly Differing[]; sideEffects: readonly SideEffects[] }>;
}

/**
 * Records the state before anything is applied.
 * @returns a function that reads the effects after everything was applied
 */
export async function rememberBefore(
  tx: Queryable,
  uuid: string,
  rules: EffectRules,
): Promise<() => Promise<Effects>> {
  const [row] = await tx.query(selectBefore);
  const { since = null, counted = null } = row ?? {};
  await openCursor(tx, cursor, selectRehearsed, [uuid, since, rules.scanRows, counted]);
  return async () => ({
    wouldLand: await readLanding(tx, uuid, rules),
    readBeyond: () => readBeyond(tx, uuid, rules),
  });
}

async function readLanding(
  tx: Queryable,
  uuid: string,
  { readableOnly }: EffectRules,
): Promise<LandingCounts[]> {
  const rows = await tx.query(selectLanding, [uuid, String(readableOnly)]);
  return rows.map((row) => ({
    table: String(row['name']),
    ...countsOf(row),
    ...marked(row['hidden'] === 't'),
  }));
}

async function readBeyond(tx: Queryable, uuid: string, { readableOnly }: EffectRules) {
  const found = new Map<string, Found>();
  let room = mostCharacters;
  for await (const row of fetchRows(tx, cursor)) {
    const relation = String(row['relation']);
    const table = found.get(relation) ?? { scanned: row['is_scanned'] === 't', rows: [] };
    found.set(relation, table);
    room -= (row['before']?.length ?? 0) + (row['after']?.length ?? 0);
    const isRow = row['part'] === 'other' || row['part'] === 'differs';
    if (room > 0 || !isRow) table.rows.push(row);
  }
  const tables = await nameTables(tx, uuid, readableOnly, [...found.keys()]);
  const named = tables.map((table) => ({ ...table, ...(found.get(table.oid) ?? nothing) }));
  return { differs: named.flatMap(differingOf), sideEffects: named.flatMap(sideEffectsOf) };
}

interface Found {
  readonly scanned: boolean;
  readonly rows: Row[];
}

const nothing: Found = { scanned: true, rows: [] };

interface NamedTable {
  readonly oid: string;
  readonly table: string;
  readonly hidden: boolean;
  /** Its columns and those of its key, in order. */
  readonly columns: readonly string[];
  readonly key: readonly string[];
}

/** Names the tables, in the order of a diff's tables. */
async function nameTables(
  tx: Queryable,
  uuid: string,
  readableOnly: boolean,
  oids: readonly string[],
): Promise<NamedTable[]> {
  const rows = await tx.query(selectTables, [uuid, String(readableOnly), JSON.stringify(oids)]);
  return rows
    .map((row) => ({
      oid: String(row['oid']),
      table: shownName(String(row['nspname']), String(row['relname'])),
      hidden: row['hidden'] === 't',
      columns: JSON.parse(row['columns'] ?? '[]') as string[],
      key: JSON.parse(row['key'] ?? '[]') as string[],
    }))
    .sort((one, other) => (one.table < other.table ? -1 : 1));
}

function differingOf({ rows, ...named }: NamedTable & Found): Differing[] {
  const { table, hidden } = named;
  const count = Number(rows.find(({ part }) => part === 'differing')?.['inserts'] ?? 0);
  if (count === 0) return [];
  const differing = hidden ? [] : rows.filter(({ part }) => part === 'differs');
  const listed = differing.map((row) => toDifferingRow(named, row));
  return [{ table, count, rows: listed, ...marked(hidden) }];
}

function toDifferingRow(table: NamedTable, row: Row): DifferingRow {
  const { rowId, before, after } = sidesOf(table, row);
  return { rowId, staged: before, lands: after };
}

function sideEffectsOf({ scanned, rows, ...named }: NamedTable & Found): SideEffects[] {
  const { table, hidden } = named;
  const counted = rows.find(({ part }) => part === 'others');
  const isCounted = counted !== undefined && counted['inserts'] !== null;
  const counts = isCounted ? countsOf(counted) : null;
  if (counts !== null && counts.inserts + counts.updates + counts.deletes === 0) return [];
  // guard: side effects in tables that a role may not read are counted only
  const others = hidden ? [] : rows.filter(({ part }) => part === 'other');
  const changes = others.map((row) => ({
    table,
    type: row['operation'] as Operation,
    ...sidesOf(named, row),
  }));
  return [{ table, scanned, counts, changes, ...marked(hidden) }];
}

function sidesOf(
  { columns, key }: NamedTable,
  row: Row,
): Pick<Change, 'rowId' | 'before' | 'after'> {
  const side = (name: string) => {
    const text = row[name] ?? null;
    return text === null ? null : inOrder(text, columns);
  };
  return {
    rowId: inOrder(row['row_id'] ?? 'null', key),
    before: side('before'),
    after: side('after'),
  };
}

function countsOf(row: Row): NetCounts {
  const count = (name: string) => Number(row[name]);
  return { inserts: count('inserts'), updates: count('updates'), deletes: count('deletes') };
}

const marked = (hidden: boolean): { readonly hidden?: Hidden } => (hidden ? { hidden } : {});
