/** The audit as users read it: applied row changes, oldest first. */
import type { Database, Queryable, Row } from '../db/database.ts';
import { StageError } from '../errors.ts';
import type { AuditEntry, Operation } from '../model/change.ts';
import { JsonText } from '../model/json.ts';
import { isSessionId } from '../model/session.ts';

const columns = `
  a.position, 'sess_' || replace(a.session::text, '-', '') AS session_id, a.project_id, a.table_name, a.operation, a.row_id,
  a.old_data, a.new_data, stage.iso_time(a.approved_at) AS approved_at, a.approved_by,
  (SELECT p.approved_as FROM stage.approval p WHERE p.session = a.session) AS approved_as`;

const filters = `
WHERE a.project_id = $1
  AND ($2::uuid IS NULL OR a.session = $2) AND ($3::text IS NULL OR a.table_name = $3)
  AND ($4::text IS NULL OR a.operation = $4)
  AND ($5::timestamptz IS NULL OR a.approved_at > $5) AND ($6::timestamptz IS NULL OR a.approved_at < $6)`;

const selectEntries = `
SELECT ${columns} FROM stage.audit a ${filters} ORDER BY a.position LIMIT $7 OFFSET $8`;

const countEntries = `SELECT count(*) FROM stage.audit a ${filters}`;

const selectEntry = `SELECT ${columns} FROM stage.audit a WHERE a.position = $1`;

export interface AuditFilter {
  readonly projectId: string;
  readonly sessionId?: string | undefined;
  /** The table's shown name. */
  readonly tableName?: string | undefined;
  readonly operation?: Operation | undefined;
  /** ISO 8601; entries after this time. */
  readonly since?: string | undefined;
  /** ISO 8601; entries before this time. */
  readonly until?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

export interface AuditPage {
  readonly entries: AuditEntry[];
  /** How many entries the filter matches, whatever the limit. */
  readonly totalCount: number;
}

/** Lists applied row changes in the order in which they were applied. */
export async function listAudit(db: Database, filter: AuditFilter): Promise<AuditPage> {
  const { projectId, sessionId, tableName, operation, since, until, limit, offset } = filter;
  if (sessionId !== undefined && !isSessionId(sessionId)) return { entries: [], totalCount: 0 };
  const session = sessionId?.slice('sess_'.length) ?? null;
  const matching = [
    projectId,
    session,
    tableName ?? null,
    operation ?? null,
    since ?? null,
    until ?? null,
  ];
  const [rows, [total]] = await Promise.all([
    db.query(selectEntries, [...matching, limit, offset]),
    db.query(countEntries, matching),
  ]);
  return {
    entries: rows.map((row) => toEntry(row as EntryRow)),
    totalCount: Number(total?.['count']),
  };
}

/** Reads one entry. @throws StageError `audit_entry_not_found`, also for a text that cannot be an entry's id */
export async function getAuditEntry(db: Queryable, id: string): Promise<AuditEntry> {
  const position = /^aud_([1-9]\d{0,17})$/.exec(id)?.[1];
  const [row] = position === undefined ? [] : await db.query(selectEntry, [position]);
  if (row === undefined) throw auditEntryNotFound(id);
  return toEntry(row as EntryRow);
}

export function auditEntryNotFound(id: string): StageError {
  return new StageError('audit_entry_not_found', `there is no audit entry ${id}`, {
    hint: 'List the entries with `stage audit list` or GET /audit.',
  });
}

type EntryRow = Row & {
  readonly position: string;
  readonly session_id: string;
  readonly project_id: string;
  readonly table_name: string;
  readonly operation: Operation;
  readonly row_id: string;
  readonly old_data: string | null;
  readonly new_data: string | null;
  readonly approved_at: string;
  readonly approved_by: string | null;
  readonly approved_as: string | null;
};

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
    approvedAt: row.approved_at,
    approvedBy: row.approved_by,
    approvedAs: row.approved_as,
  };
}
