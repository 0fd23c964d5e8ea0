/** What happened to a session, and what was said about it: append-only, numbered in the order of commits. */
import type { Database, Queryable, Row } from '../db/database.ts';
import type { Event, EventKind } from '../model/event.ts';
import { JsonText } from '../model/json.ts';
import { sessionIdSql, sessionNotFound, sessionUuid } from './session-id.ts';

const insertEvent = 'SELECT stage.emit($1, $2, $3, $4, $5) AS number';

const columns = `
  e.number, ${sessionIdSql('e.session')} AS session_id, e.kind, stage.iso_time(e.at) AS at, e.by_as, e.body`;

const selectEvents = `
SELECT ${columns} FROM stage.event e
WHERE e.session = $1 AND e.number > $2 ORDER BY e.number LIMIT $3`;

/** What was said: by itself, or with a change of state. */
const isSaid = "(e.kind = 'comment' OR e.body ? 'message')";

const selectComments = `
SELECT ${columns} FROM stage.event e
WHERE e.session = $1 AND ${isSaid} ORDER BY e.number LIMIT $2 OFFSET $3`;

const countComments = `
SELECT (SELECT count(*) FROM stage.event e WHERE e.session = $1 AND ${isSaid}) FROM stage.session WHERE id = $1`;

const selectEvent = `SELECT ${columns} FROM stage.event e WHERE e.number = $1`;

const selectSession = 'SELECT project_id FROM stage.session WHERE id = $1';

export interface NewEvent {
  /** The key of the session's row. */
  readonly uuid: string;
  readonly projectId: string;
  readonly kind: EventKind;
  /** The authenticated name of who did it. */
  readonly by: string | null;
  /** A JSON object. */
  readonly body: JsonText;
}

/** Adds an event, as the last step of the transaction of what it tells about; gives its number. */
export async function emit(tx: Queryable, event: NewEvent): Promise<string> {
  const { uuid, projectId, kind, by, body } = event;
  const [row] = await tx.query(insertEvent, [uuid, projectId, kind, by, body.text]);
  return String(row?.['number']);
}

/** Whether an event of a session is there, for those whose COMMIT was not answered. */
export async function isEmitted(db: Queryable, number: string, uuid: string): Promise<boolean> {
  const rows = await db.query(`${selectEvent} AND e.session = $2`, [number, uuid]);
  return rows.length > 0;
}

export interface EventFilter {
  /** Number of the event to begin behind. */
  readonly after: string;
  readonly limit: number;
}

/** Lists a session's events, oldest first. @throws StageError `session_not_found` */
export async function listEvents(db: Queryable, id: string, filter: EventFilter): Promise<Event[]> {
  const uuid = sessionUuid(id);
  const rows = await db.query(selectEvents, [uuid, filter.after, filter.limit]);
  // events outlive their session, and are told only while it is there
  const [session] = await db.query(selectSession, [uuid]);
  if (session === undefined) throw sessionNotFound(id);
  return rows.map((row) => toEvent(row as EventRow));
}

export interface CommentPage {
  readonly comments: Event[];
  /** How many comments there are, whatever the limit. */
  readonly totalCount: number;
}

/** Lists the comments on a session and the messages with which it changed its state, oldest first. @throws StageError `session_not_found` */
export async function listComments(
  db: Queryable,
  id: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<CommentPage> {
  const uuid = sessionUuid(id);
  const rows = await db.query(selectComments, [uuid, limit, offset]);
  const [total] = await db.query(countComments, [uuid]);
  if (total === undefined) throw sessionNotFound(id);
  return {
    comments: rows.map((row) => toEvent(row as EventRow)),
    totalCount: Number(total['count']),
  };
}

/** Adds what somebody says about a session, in whatever state it is. @throws StageError `session_not_found` */
export async function addComment(
  db: Database,
  id: string,
  comment: { readonly by: string | null; readonly body: JsonText },
): Promise<Event> {
  const uuid = sessionUuid(id);
  return db.transaction(
    async (tx) => {
      const [session] = await tx.query(`${selectSession} FOR KEY SHARE`, [uuid]);
      if (session === undefined) throw sessionNotFound(id);
      const projectId = String(session['project_id']);
      const number = await emit(tx, { uuid, projectId, kind: 'comment', ...comment });
      const [row] = await tx.query(selectEvent, [number]);
      return toEvent(row as EventRow);
    },
    'read committed',
    (tx, { number }) => isEmitted(tx, number, uuid),
  );
}

type EventRow = Row & {
  readonly number: string;
  readonly session_id: string;
  readonly kind: EventKind;
  readonly at: string;
  readonly by_as: string | null;
  readonly body: string;
};

function toEvent(row: EventRow): Event {
  const { number, session_id: sessionId, kind, at, by_as: by, body } = row;
  return { number, sessionId, kind, at, by, body: new JsonText(body) };
}
