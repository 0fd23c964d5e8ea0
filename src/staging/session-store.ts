/** Sessions in the database: create, read, list, count. Their state changes are in review/ and discard.ts. */
import { randomBytes } from 'node:crypto';
import type { Database, IsDone, Queryable } from '../db/database.ts';
import { rowReaderOf } from '../db/noun-row.ts';
import type { StagedCounts } from '../metrics-pools.ts';
import type { JsonText } from '../model/json.ts';
import type { PageFilter } from '../model/paging.ts';
import { cutTo, rowsFor } from '../model/paging.ts';
import type {
  ConflictScope,
  OpenedSession,
  ReadsMode,
  Session,
  SessionStatus,
} from '../model/session.ts';
import { isSessionId, sessionShape, sessionStatuses } from '../model/session.ts';
import { sessionIdSql, sessionNotFound, sessionUuid } from './session-id.ts';

const columns = `
  ${sessionIdSql('s.id')} AS id, s.project_id, s.metadata, s.status, s.reads, s.conflict_scope,
  CASE WHEN s.status = 'active' THEN s.round ELSE greatest(s.round, 1) END AS round,
  coalesce(s.mutation_count, (SELECT count(*) FROM stage.mutation m WHERE m.session = s.id)) AS mutation_count,
  s.edits,
  stage.iso_time(s.created_at) AS created_at,
  stage.iso_time(greatest(s.created_at, s.edited_at, s.proposed_at, s.approved_at, s.rejected_at,
    stage.last_executed(s.id))) AS updated_at,
  stage.iso_time(s.proposed_at) AS proposed_at,
  stage.iso_time(s.approved_at) AS approved_at, s.approved_by,
  stage.iso_time(s.rejected_at) AS rejected_at, s.reason,
  s.created_as, s.proposed_as, s.approved_as, s.rejected_as,
  to_jsonb(ARRAY(SELECT stage.roles_of(s.id) UNION SELECT stage.logins_of(s.id) ORDER BY 1)) AS roles,
  ${sessionIdSql('s.reverts')} AS reverts, ${sessionIdSql('s.split_from')} AS split_from,
  stage.iso_time(s.apply_at) AS apply_at, (SELECT d.by_as FROM stage.decision d WHERE d.number = s.scheduled) AS scheduled_as,
  s.break_glass, CASE WHEN s.break_glass IS NOT NULL THEN s.reviewed_at IS NULL END AS review_due,
  stage.iso_time(s.reviewed_at) AS reviewed_at, s.reviewed_as,
  ${sessionIdSql('s.remaining')} AS remaining, s.reviewed_digest, stage.last_event(s.id) AS last_event`;

const toSession = rowReaderOf(sessionShape);

const insertRow = `
INSERT INTO stage.session AS s (id, project_id, metadata, reads, conflict_scope, created_as, request_key, request_hash, reverts)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (created_as, request_key) WHERE request_key IS NOT NULL DO NOTHING
RETURNING ${columns}, stage.emit(s.id, s.project_id, 'created', s.created_as,
  CASE WHEN s.reverts IS NULL THEN '{}' ELSE jsonb_build_object('reverts', ${sessionIdSql('s.reverts')}) END) AS created_event`;

const selectSession = `SELECT ${columns} FROM stage.session s WHERE s.id = $1`;

const newestFirst = 'ORDER BY s.created_at DESC, s.id';

/** Approvals past the policy that nobody else has reviewed yet, as the index of them has it. */
const reviewIsDue = 's.break_glass IS NOT NULL AND s.reviewed_at IS NULL';

const matching = ({ reviewDue: due }: SessionFilter) => `
SELECT s.* FROM stage.session s
WHERE ${due === undefined ? '' : `${due ? '' : 'NOT '}(${reviewIsDue}) AND `}($1::text IS NULL OR s.status = $1) AND ($2::jsonb IS NULL OR $2 ? s.project_id)
  AND ($3::text IS NULL OR s.created_as = $3) AND ($4::text IS NULL OR s.created_as = $4)`;

/** A search covers only this number of the newest sessions, so that its time is bounded. */
const mostSearched = 10_000;

const searched = (filter: SessionFilter) => `
SELECT s.* FROM (${matching(filter)} ${newestFirst} LIMIT ${mostSearched}) s
WHERE EXISTS (
  SELECT FROM jsonb_array_elements_text($5::jsonb) w (wanted)
  -- no text that is wanted has the line breaks that keep these apart
  WHERE strpos(lower(concat_ws(chr(10), ${sessionIdSql('s.id')}, s.project_id, s.created_as, s.metadata::text,
    -- as the list shows metadata without a title
    (SELECT string_agg(m.key || '=' || m.value, ' ') FROM json_each_text(s.metadata) m))), lower(w.wanted)) > 0)`;

/** The smallest id. */
const firstId = `sess_${'0'.repeat(32)}`;

/** Returns the condition that a session is listed behind the one with this time of creation and this id. */
const behind = (parameter: number) =>
  `s.created_at <= $${parameter} AND (s.created_at < $${parameter} OR s.id > $${parameter + 1})`;

const countActive = `SELECT count(*) FROM stage.session WHERE status = 'active'`;

export interface NewSession {
  readonly projectId: string;
  /** A JSON object. */
  readonly metadata: JsonText;
  readonly reads: ReadsMode;
  readonly conflictScope?: ConflictScope | undefined;
  /** The authenticated name of the creator. */
  readonly createdAs?: string | null;
  /** The primary key of the approved session whose changes it reverts. */
  readonly reverts?: string;
}

export interface SessionFilter extends PageFilter {
  readonly status?: SessionStatus | undefined;
  /** Only sessions of these projects. */
  readonly projectIds?: readonly string[] | undefined;
  /** Only sessions that were created with a token of this name. */
  readonly createdAs?: string | null | undefined;
  /** The same, as a second condition. */
  readonly author?: string | undefined;
  /** Only sessions that have or have not to be reviewed after their approval. */
  readonly reviewDue?: boolean | undefined;
  /** Only sessions with this text in their id, project, creator's name or metadata, in any case. */
  readonly search?: string | undefined;
}

export interface SessionPage {
  /** Newest first. */
  readonly sessions: Session[];
  /** Number of sessions that match the filter, regardless of the limit. */
  readonly totalCount: number;
  readonly hasMore: boolean;
}

/** Identifies a repeated request. */
export interface RequestKey {
  readonly key: string;
  readonly hash: string;
}

/** Creates an active session with a new random id. */
export async function createSession(db: Database, session: NewSession): Promise<Session>;
/** Creates the session, or returns null if its creator has used the request key before. */
export async function createSession(
  db: Database,
  session: NewSession,
  request: RequestKey,
): Promise<Session | null>;
export async function createSession(
  db: Database,
  session: NewSession,
  request?: RequestKey,
): Promise<Session | null> {
  return db.transaction(
    (tx) => insertOnce(tx, session, request),
    'read committed',
    async (tx, made) => made === null || isThere(tx, made),
  );
}

/** Creates an active session in the caller's transaction. */
export async function insertSession(tx: Queryable, session: NewSession): Promise<Session> {
  const made = await insertOnce(tx, session);
  if (made === null) throw new Error('a session without a key of its request was there before');
  return made;
}

async function insertOnce(
  tx: Queryable,
  session: NewSession,
  request?: RequestKey,
): Promise<Session | null> {
  const [row] = await tx.query(insertRow, [
    randomBytes(16).toString('hex'),
    session.projectId,
    session.metadata.text,
    session.reads,
    session.conflictScope ?? 'row',
    session.createdAs ?? null,
    request?.key ?? null,
    request?.hash ?? null,
    session.reverts ?? null,
  ]);
  if (row === undefined) return null;
  // the statement that emits the event does not see it yet
  return { ...toSession(row), lastEvent: String(row['created_event']) };
}

/** Checks whether a session still shows the state changes of a transaction, whatever happened since. */
export const isThere: IsDone<Session> = async (db, made) => {
  const [row] = await db.query(selectSession, [sessionUuid(made.id)]);
  if (row === undefined) return false;
  const { proposedAt, approvedAt, rejectedAt } = toSession(row);
  const wanted = [made.proposedAt, made.approvedAt, made.rejectedAt];
  return [proposedAt, approvedAt, rejectedAt].every(
    (time, index) => wanted[index] === null || wanted[index] === time,
  );
};

/** Reads one session. @throws StageError `session_not_found`, also for a text that cannot be a session id */
export async function getSession(db: Queryable, id: string): Promise<Session> {
  const [row] = await db.query(selectSession, [sessionUuid(id)]);
  if (row === undefined) throw sessionNotFound(id);
  return toSession(row);
}

/**
 * Reads what a client connection needs of its session; null if there is no session. It reads nothing else, because computing the other
 * fields takes longer than the login.
 * @param role the role that the client logs in as, if any
 */
export async function findSession(
  db: Queryable,
  id: string,
  role = '',
): Promise<OpenedSession | null> {
  if (!isSessionId(id)) return null;
  const [row] = await db.query(openSession, [sessionUuid(id), role]);
  if (row === undefined) return null;
  return {
    id,
    reads: row['reads'] as ReadsMode,
    escapesBackslashes: row['escapes'] === 't',
  };
}

const openSession = `SELECT s.reads, stage.escapes_backslashes($2) AS escapes
FROM stage.session s WHERE s.id = $1`;

/** Lists sessions, newest first. Computed fields are evaluated only for the sessions of the page. */
export async function listSessions(db: Database, filter: SessionFilter): Promise<SessionPage> {
  const { status = null, projectIds, createdAs = null, author = null, search } = filter;
  const projects = projectIds === undefined ? null : JSON.stringify(projectIds);
  const values = [status, projects, createdAs, author];
  if (search !== undefined) values.push(JSON.stringify([search, ...inJson(search)]));
  const found = search === undefined ? matching(filter) : searched(filter);
  const next = values.length + 1;
  const [time = 'infinity', id = firstId] = filter.after ?? [];
  const page = `${found} AND ${behind(next)} ${newestFirst} LIMIT $${next + 2} OFFSET $${next + 3}`;
  const [read, [total]] = await Promise.all([
    db.query(`SELECT ${columns} FROM (${page}) s ${newestFirst}`, [
      ...values,
      time,
      sessionUuid(id),
      rowsFor(filter),
      filter.offset,
    ]),
    db.query(`SELECT count(*) FROM (${found}) s`, values),
  ]);
  const { rows, hasMore } = cutTo(filter, read);
  return {
    sessions: rows.map((row) => toSession(row)),
    totalCount: Number(total?.['count']),
    hasMore,
  };
}

/** Returns how a text may be written in JSON, because metadata is stored as it was sent. */
function inJson(text: string): readonly string[] {
  const written = JSON.stringify(text).slice(1, -1);
  const code = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return [written, written.replaceAll(/[^\x20-\x7e]/g, code)];
}

/** Counts the active sessions. */
export async function countActiveSessions(db: Queryable): Promise<number> {
  const [row] = await db.query(countActive);
  return Number(row?.['count']);
}

const countByStatus = `
SELECT s.status, count(x.id) AS count FROM unnest($1::text[]) s (status) LEFT JOIN stage.session x ON x.status = s.status
GROUP BY s.status`;

const estimateShadowRows = `
SELECT coalesce(sum(n_live_tup), 0) AS count FROM pg_stat_all_tables WHERE schemaname = 'stage_data' AND relname LIKE 'shadow\\_%'`;

/** Counts sessions by status, and estimates the staged rows, for metrics. */
export async function countStaged(db: Queryable): Promise<StagedCounts> {
  const rows = await db.query(countByStatus, [`{${sessionStatuses.join(',')}}`]);
  const [shadow] = await db.query(estimateShadowRows);
  return {
    sessions: Object.fromEntries(rows.map((row) => [row['status'], Number(row['count'])])),
    shadowRows: Number(shadow?.['count']),
  };
}
