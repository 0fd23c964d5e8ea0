/** What is known of a session since somebody looked at production for it: its last conflicts, and whether a rehearsal has succeeded. */
import type { Database, Queryable, Row } from '../db/database.ts';
import type { Flag } from '../model/brief.ts';
import type { Conflict } from '../model/conflict.ts';
import type { Session } from '../model/session.ts';
import { sessionUuid } from '../staging/session-id.ts';

/** The state of a session before the look: a later one is not what was seen. */
export type Seen = Pick<Session, 'id' | 'status' | 'round' | 'edits' | 'mutationCount'>;

/** The number of rows in conflict, by table. */
export type RowsInConflict = readonly { readonly table: string; readonly count: number }[];

/** Counts the rows of conflicts that prevent an approval; a table that has changed is one. */
export function rowsInConflict(
  conflicts: readonly Pick<Conflict, 'table' | 'rowId'>[],
): RowsInConflict {
  const rows = new Map<string, Set<string>>();
  for (const { table, rowId } of conflicts)
    rows.set(table, (rows.get(table) ?? new Set()).add(rowId.text));
  return [...rows].map(([table, { size }]) => ({ table, count: size }));
}

/** Nobody waits for a note: a session whose row is locked is being decided on. */
const openSession = `FROM stage.session s WHERE s.id = $1 AND s.status IN ('active', 'proposed') FOR KEY SHARE SKIP LOCKED`;

const insertConflicts = `
INSERT INTO stage.found_conflict (session, edits, mutations, tables) SELECT s.id, $2, $3, $4 ${openSession}
ON CONFLICT (session) DO UPDATE SET edits = excluded.edits, mutations = excluded.mutations, tables = excluded.tables, at = excluded.at`;

const deleteConflicts = `DELETE FROM stage.found_conflict WHERE session = $1`;

const insertRehearsal = `
INSERT INTO stage.rehearsal (session, edits, mutations, round) SELECT s.id, $2, $3, $4 ${openSession}
ON CONFLICT (session) DO UPDATE SET edits = excluded.edits, mutations = excluded.mutations, round = excluded.round, at = excluded.at`;

/** Records which rows a look found in conflict with production. */
export async function noteConflicts(db: Database, seen: Seen, rows: RowsInConflict): Promise<void> {
  const [text, values] =
    rows.length === 0
      ? [deleteConflicts, [sessionUuid(seen.id)]]
      : [insertConflicts, [...stateOf(seen), JSON.stringify(rows)]];
  await note(db, text, values);
}

/** Records that a rehearsal has succeeded. */
export async function noteRehearsal(db: Database, seen: Seen): Promise<void> {
  const round = seen.status === 'active' ? seen.round + 1 : seen.round;
  await note(db, insertRehearsal, [...stateOf(seen), round]);
}

const stateOf = ({ id, edits, mutationCount }: Seen) => [sessionUuid(id), edits, mutationCount];

/** A look succeeds even if it cannot be recorded. */
async function note(db: Database, text: string, values: readonly (string | number)[]) {
  await db.query(text, values).catch(() => undefined);
}

/** The columns and joins for `knownFlags`, in a query of sessions. */
export const knownColumns = `r.session IS NOT NULL AS rehearsed, f.tables AS conflicts, stage.iso_time(f.at) AS looked_at`;

export const joinKnown = (session: string, round: string, edits: string, mutations: string) => `
LEFT JOIN stage.rehearsal r ON r.session = ${session} AND (r.round, r.edits, r.mutations) = (${round}, ${edits}, ${mutations})
LEFT JOIN stage.found_conflict f ON f.session = ${session} AND (f.edits, f.mutations) = (${edits}, ${mutations})`;

const selectKnown = `
SELECT ${knownColumns} FROM (VALUES ($1::uuid)) s (id) ${joinKnown('s.id', '$2::int', '$3::bigint', '$4::bigint')}`;

/** Returns the flags of what is known now. @param needsRehearsal whether a proposal without a rehearsal gets one */
export async function readKnownFlags(
  tx: Queryable,
  seen: Seen,
  needsRehearsal: boolean,
): Promise<readonly Flag[]> {
  const { status, round } = seen;
  if (status === 'approved' || status === 'rejected') return [];
  const [id, edits, mutations] = stateOf(seen);
  const [row] = await tx.query(selectKnown, [String(id), round, Number(edits), Number(mutations)]);
  return knownFlags(row ?? {}, needsRehearsal && status === 'proposed' ? round : null);
}

/** @param unrehearsed the round of a proposal that needs a rehearsal; null if it needs none */
export function knownFlags(row: Row, unrehearsed: number | null): readonly Flag[] {
  const rows = JSON.parse(row['conflicts'] ?? '[]') as RowsInConflict;
  const at = String(row['looked_at']);
  const flags: Flag[] = rows.map(({ table, count }) => ({
    ...{ code: 'conflict', table, column: null, count, at },
  }));
  if (unrehearsed !== null && row['rehearsed'] !== 't')
    flags.push({ code: 'never_rehearsed', table: null, column: null, count: unrehearsed });
  return flags;
}

/** Returns flags with those of what is known now: conflicts first, for lists show the first flags. */
export function withKnown<T>(
  flags: readonly T[],
  known: readonly Flag[],
  written: (flag: Flag) => T,
): T[] {
  const isConflict = ({ code }: Flag) => code === 'conflict';
  return [
    ...known.filter(isConflict).map(written),
    ...flags,
    ...known.filter((flag) => !isConflict(flag)).map(written),
  ];
}
