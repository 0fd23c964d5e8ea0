/** The audit as users read it: applied row changes, oldest first. */
import type { Database, Queryable, Row } from '../db/database.ts';
import { StageError } from '../errors.ts';
import type { AuditEntry } from '../model/audit.ts';
import type { Operation } from '../model/change.ts';
import { JsonText } from '../model/json.ts';
import type { PageFilter } from '../model/paging.ts';
import { cutTo, rowsFor } from '../model/paging.ts';
import { isSessionId } from '../model/session.ts';
import { sessionIdSql } from '../staging/session-id.ts';
import { textsOf } from './diff/change-row.ts';

const columns = `
  a.position, a.session, a.relation, ${sessionIdSql('a.session')} AS session_id, a.project_id, a.table_name, a.operation, a.row_id,
  a.old_data, a.new_data, a.texts, a.staged, stage.iso_time(a.approved_at) AS approved_at, a.approved_by, p.approved_as,
  (SELECT ${sessionIdSql('s.split_from')} FROM stage.session s WHERE s.id = a.session) AS split_from`;

/** The approvals of a page's filter. They provide what their entries have in common. */
const approvals = `
stage.approval p
WHERE p.project_id = $1 AND ($2::uuid IS NULL OR p.session = $2)
  AND ($3::timestamptz IS NULL OR p.approved_at > $3) AND ($4::timestamptz IS NULL OR p.approved_at < $4)`;

/** The matching entries of an approval. Its entries have consecutive positions. */
const entries = `
FROM stage.audit a
WHERE a.position >= p.first_position AND a.position < p.first_position + p.entries
  AND ($5::text IS NULL OR a.table_name = $5) AND ($6::text IS NULL OR a.operation = $6)`;

/** Selects entries behind a position, approval by approval, no further than the page. */
const selectEntries = `
SELECT ${columns}
FROM (SELECT * FROM ${approvals} AND p.first_position + p.entries > $9::bigint) p
CROSS JOIN LATERAL (SELECT a.* ${entries} AND a.position > $9 ORDER BY a.position LIMIT $7::bigint + $8::bigint) a
ORDER BY p.first_position, a.position LIMIT $7 OFFSET $8`;

const countEntries = `
SELECT coalesce(sum(CASE WHEN $5::text IS NULL AND $6::text IS NULL THEN p.entries ELSE (SELECT count(*) ${entries}) END), 0) AS count
FROM ${approvals}`;

/** Selects those of the given sessions and tables that every role that staged in the session may read. */
const selectReadable = `
SELECT t.session, t.relation FROM jsonb_to_recordset($1::jsonb) AS t (session uuid, relation oid)
WHERE stage.is_readable(t.session, stage.relation_of_approval(t.session, t.relation))`;

const selectEntry = `
SELECT ${columns} FROM stage.audit a JOIN stage.approval p ON p.session = a.session WHERE a.position = $1`;

export interface AuditFilter extends PageFilter {
  readonly projectId: string;
  readonly sessionId?: string | undefined;
  /** The table's shown name. */
  readonly tableName?: string | undefined;
  readonly operation?: Operation | undefined;
  /** ISO 8601; only entries after this time. */
  readonly since?: string | undefined;
  /** ISO 8601; only entries before this time. */
  readonly until?: string | undefined;
  /** Whether rows and their keys are withheld where a role that staged in the session may not read the table. */
  readonly readableOnly?: boolean;
}

export interface AuditPage {
  readonly entries: AuditEntry[];
  /** The number of entries that the filter matches, regardless of the limit. */
  readonly totalCount: number;
  readonly hasMore: boolean;
}

/** Lists applied row changes in the order in which they were applied. */
export async function listAudit(db: Database, filter: AuditFilter): Promise<AuditPage> {
  const { projectId, sessionId, tableName, operation, since, until } = filter;
  if (sessionId !== undefined && !isSessionId(sessionId))
    return { entries: [], totalCount: 0, hasMore: false };
  const session = sessionId?.slice('sess_'.length) ?? null;
  const matching = [
    projectId,
    session,
    since ?? null,
    until ?? null,
    tableName ?? null,
    operation ?? null,
  ];
  const place = [rowsFor(filter), filter.offset, filter.after?.[0] ?? '-1'];
  const [read, [total]] = await Promise.all([
    db.query(selectEntries, [...matching, ...place]),
    db.query(countEntries, matching),
  ]);
  const { rows, hasMore } = cutTo(filter, read);
  return {
    entries: await toEntries(db, rows, filter.readableOnly),
    totalCount: Number(total?.['count']),
    hasMore,
  };
}

/**
 * Reads one entry.
 * @param readableOnly whether the row and its key are withheld where a role that staged in the session may not read the table
 * @throws StageError `audit_entry_not_found`, also for a text that cannot be an entry's id
 */
export async function getAuditEntry(
  db: Queryable,
  id: string,
  readableOnly = false,
): Promise<AuditEntry> {
  const position = /^aud_([1-9]\d{0,17})$/.exec(id)?.[1];
  const rows = position === undefined ? [] : await db.query(selectEntry, [position]);
  const [entry] = await toEntries(db, rows, readableOnly);
  if (entry === undefined) throw auditEntryNotFound(id);
  return entry;
}

export function auditEntryNotFound(id: string): StageError {
  return new StageError('audit_entry_not_found', `there is no audit entry ${id}`, {
    hint: 'List the entries with `stage audit list` or GET /audit.',
  });
}

type EntryRow = Row & {
  readonly position: string;
  readonly session: string;
  readonly relation: string;
  readonly session_id: string;
  readonly project_id: string;
  readonly table_name: string;
  readonly operation: Operation;
  readonly row_id: string;
  readonly old_data: string | null;
  readonly new_data: string | null;
  readonly texts: string | null;
  readonly staged: string | null;
  readonly approved_at: string;
  readonly approved_by: string | null;
  readonly approved_as: string | null;
  readonly split_from: string | null;
};

async function toEntries(
  db: Queryable,
  rows: readonly Row[],
  readableOnly = false,
): Promise<AuditEntry[]> {
  const entries = rows as readonly EntryRow[];
  // guard: audit entries of hidden tables are withheld
  if (!readableOnly) return entries.map(toEntry);
  const places = new Set(entries.map(placeOf));
  const readable = await db.query(selectReadable, [`[${[...places].join(',')}]`]);
  const shown = new Set(readable.map((row) => placeOf(row as EntryRow)));
  return entries.map((row) => (shown.has(placeOf(row)) ? toEntry(row) : withheld(toEntry(row))));
}

/** Returns an entry's session and table, as JSON. */
function placeOf({ session, relation }: Pick<EntryRow, 'session' | 'relation'>): string {
  return JSON.stringify({ session, relation });
}

function withheld(entry: AuditEntry): AuditEntry {
  const { texts: _, staged: __, ...rest } = entry;
  // guard: the key of a hidden audit entry is withheld
  return { ...rest, rowId: null, oldData: null, newData: null, hidden: true };
}

function toEntry(row: EntryRow): AuditEntry {
  return {
    id: `aud_${row.position}`,
    sessionId: row.session_id,
    projectId: row.project_id,
    tableName: row.table_name,
    operation: row.operation,
    rowId: row.row_id,
    oldData: row.old_data === null ? null : new JsonText(row.old_data),
    newData: row.new_data === null ? null : new JsonText(row.new_data),
    ...textsOf(row.texts),
    ...(row.staged === null ? {} : { staged: new JsonText(row.staged) }),
    approvedAt: row.approved_at,
    approvedBy: row.approved_by,
    approvedAs: row.approved_as,
    splitFrom: row.split_from,
  };
}
