/** The events and comments of sessions: append-only, numbered in the order of commits. */
import type { Database, Queryable, Row } from '../db/database.ts';
import type { Event, EventKind } from '../model/event.ts';
import { JsonText } from '../model/json.ts';
import { rowIdInOrder } from '../model/member-order.ts';
import type { PageFilter } from '../model/paging.ts';
import { cutTo, rowsFor } from '../model/paging.ts';
import { sessionIdSql, sessionNotFound, sessionUuid } from './session-id.ts';

const insertEvent = 'SELECT stage.emit($1, $2, $3, $4, $5) AS number';

/** A comment on a row has its row_id, and its table's key gives the order of the columns in it. */
const columns = `
  e.number, ${sessionIdSql('e.session')} AS session_id, e.kind, stage.iso_time(e.at) AS at, e.by_as, e.body,
  CASE WHEN e.kind = 'comment' AND jsonb_typeof(e.body -> 'row_id') = 'object'
    THEN (SELECT to_jsonb(o.key_columns) FROM stage.overlay o WHERE o.shown_name = e.body ->> 'table' LIMIT 1) END AS key`;

const selectEvents = `
SELECT ${columns} FROM stage.event e
WHERE e.session = $1 AND e.number > $2 ORDER BY e.number LIMIT $3`;

/** Comments, and state changes with a message. */
const isRemark = "(e.kind = 'comment' OR e.body ? 'message')";

const selectComments = `
SELECT ${columns} FROM stage.event e
WHERE e.session = $1 AND ${isRemark} AND e.number > $2 ORDER BY e.number LIMIT $3 OFFSET $4`;

const countComments = `
SELECT (SELECT count(*) FROM stage.event e WHERE e.session = $1 AND ${isRemark}) FROM stage.session WHERE id = $1`;

const selectEvent = `SELECT ${columns} FROM stage.event e WHERE e.number = $1`;

const selectHead = 'SELECT number FROM stage.event_head';

/** For deleted sessions it returns only the event of the deletion. */
const selectSeen = `
SELECT ${columns} FROM stage.event e LEFT JOIN stage.session s ON s.id = e.session
WHERE e.number > least($1::bigint, $2::bigint) AND e.number <= $2
-- guard: events are limited to the projects of the caller
AND ($3::jsonb IS NULL OR $3::jsonb ? e.project_id)
-- guard: nothing is reported of a deleted session but that it is gone
AND (s.id IS NOT NULL OR e.kind = 'deleted')
-- guard: an agent hears of its own sessions
AND ($4::text IS NULL OR $4 = CASE WHEN s.id IS NULL
  THEN (SELECT CASE WHEN c.body ? 'created_as' THEN c.body ->> 'created_as' ELSE c.by_as END FROM stage.event c WHERE c.session = e.session AND c.kind = 'created')
  ELSE s.created_as END)
ORDER BY e.number LIMIT $5`;

const selectSession = 'SELECT project_id FROM stage.session WHERE id = $1';

export interface NewEvent {
  /** The primary key of the session. */
  readonly uuid: string;
  readonly projectId: string;
  readonly kind: EventKind;
  /** The authenticated name of the actor. */
  readonly by: string | null;
  /** A JSON object. */
  readonly body: JsonText;
}

/** Appends an event and returns its number. Must be the last step of the transaction that it reports. */
export async function emit(tx: Queryable, event: NewEvent): Promise<string> {
  const { uuid, projectId, kind, by, body } = event;
  const [row] = await tx.query(insertEvent, [uuid, projectId, kind, by, body.text]);
  return String(row?.['number']);
}

/** Checks whether an event of a session exists, for transactions whose COMMIT got no response. */
export async function isEmitted(db: Queryable, number: string, uuid: string): Promise<boolean> {
  const rows = await db.query(`${selectEvent} AND e.session = $2`, [number, uuid]);
  return rows.length > 0;
}

export interface EventFilter {
  /** Returns only events with a greater number. */
  readonly after: string;
  readonly limit: number;
}

/** Lists a session's events, oldest first. @throws StageError `session_not_found` */
export async function listEvents(db: Queryable, id: string, filter: EventFilter): Promise<Event[]> {
  const uuid = sessionUuid(id);
  const rows = await db.query(selectEvents, [uuid, filter.after, filter.limit]);
  // events outlive their session, but are returned only while it exists
  const [session] = await db.query(selectSession, [uuid]);
  if (session === undefined) throw sessionNotFound(id);
  return rows.map((row) => toEvent(row as EventRow));
}

/** Restricts events to those of the projects, and of sessions created with the token of that name; null for no restriction. */
export interface EventScope {
  readonly projects: readonly string[] | null;
  readonly createdAs: string | null;
}

export interface EventPage {
  readonly events: Event[];
  /** All events up to this number were examined. The next page starts behind it. */
  readonly last: string;
}

/** Returns the number of the newest event. All events up to it are visible. */
export async function lastEvent(db: Queryable): Promise<string> {
  const [head] = await db.query(selectHead);
  return String(head?.['number'] ?? 0);
}

/** Lists events of all sessions in a scope, oldest first. A number beyond the newest event counts as the newest one's. */
export async function listEventsIn(
  db: Queryable,
  { projects, createdAs }: EventScope,
  { after, limit }: EventFilter,
): Promise<EventPage> {
  // no event with a smaller number becomes visible later
  const head = await lastEvent(db);
  const rows = await db.query(selectSeen, [
    after,
    head,
    projects && JSON.stringify(projects),
    createdAs,
    limit,
  ]);
  const events = rows.map((row) => toEvent(row as EventRow));
  return { events, last: events.length < limit ? head : (events.at(-1)?.number ?? after) };
}

export interface CommentPage {
  readonly comments: Event[];
  /** Number of all comments, regardless of the limit. */
  readonly totalCount: number;
  readonly hasMore: boolean;
}

/** Lists a session's comments and the messages of its state changes, oldest first. @throws StageError `session_not_found` */
export async function listComments(
  db: Queryable,
  id: string,
  filter: PageFilter,
): Promise<CommentPage> {
  const uuid = sessionUuid(id);
  const after = filter.after?.[0] ?? '0';
  const read = await db.query(selectComments, [uuid, after, rowsFor(filter), filter.offset]);
  const [total] = await db.query(countComments, [uuid]);
  if (total === undefined) throw sessionNotFound(id);
  const { rows, hasMore } = cutTo(filter, read);
  return {
    comments: rows.map((row) => toEvent(row as EventRow)),
    totalCount: Number(total['count']),
    hasMore,
  };
}

/** Adds a comment to a session in any state. @throws StageError `session_not_found` */
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
  readonly key: string | null;
};

function toEvent(row: EventRow): Event {
  const { number, session_id: sessionId, kind, at, by_as: by, key } = row;
  const body =
    key === null ? new JsonText(row.body) : rowIdInOrder(row.body, JSON.parse(key) as string[]);
  return { number, sessionId, kind, at, by, body };
}
