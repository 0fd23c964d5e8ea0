/** Stored cards: the brief of each proposal, as it was when the session was proposed. */
import type { Database, Queryable, Row } from '../../db/database.ts';
import type { Brief, CardHead, Flag } from '../../model/brief.ts';
import { briefShape } from '../../model/brief.ts';
import { JsonText, stringifyJson } from '../../model/json.ts';
import type { SessionStatus } from '../../model/session.ts';
import { writerOf } from '../../model/shape.ts';
import { sessionIdSql, sessionUuid } from '../../staging/session-id.ts';
import { joinKnown, knownColumns, knownFlags } from '../looks.ts';

export interface StoredCard extends CardHead {
  readonly sessionId: string;
  /** The body of the brief as it was when it was stored, with the sessions that overlapped then. */
  readonly brief: JsonText;
  /** Flags of what is known now. */
  readonly known: readonly Flag[];
}

const columns = `${sessionIdSql('c.session')} AS session_id, c.round, c.digest, stage.iso_time(c.made_at) AS made_at, c.brief`;

/** Selects the present cards: none of an earlier round, of other rows, or of another configuration. */
const selectPresent = `
SELECT ${columns}, ${knownColumns}, s.status = 'proposed' AND json_array_length(c.brief -> 'tables') > 0 AS needs_rehearsal, s.status
FROM stage.session s JOIN stage.card c ON c.session = s.id
-- guard: a card of another round is not shown as the present one
AND c.round = greatest(s.round, 1)
-- guard: a card of other rows is not shown
AND (c.edits, c.mutations) = (s.edits, s.mutation_count)
AND c.sensitive = $2::jsonb AND $3::jsonb ? s.status
-- the rest of such a session is in another one
AND s.remaining IS NULL
${joinKnown('s.id', 'c.round', 'c.edits', 'c.mutations')}
WHERE s.id IN (SELECT i.id::uuid FROM jsonb_array_elements_text($1::jsonb) i (id))`;

const selectRound = `SELECT ${columns} FROM stage.card c WHERE c.session = $1 AND c.round = $2`;

/** The configuration that cards are read with. */
export interface CardRules {
  /** Patterns of columns that the configuration marks as sensitive. */
  readonly sensitiveColumns: readonly string[];
  /** Whether the service rehearses sessions. */
  readonly rehearses: boolean;
}

/** Reads the present cards of sessions in some states, by the sessions' ids. Sessions without one are left out. */
export async function presentCards(
  db: Queryable,
  ids: readonly string[],
  statuses: readonly SessionStatus[],
  { sensitiveColumns, rehearses }: CardRules,
): Promise<ReadonlyMap<string, StoredCard>> {
  if (ids.length === 0) return new Map();
  const values = [ids.map(sessionUuid), sensitiveColumns, statuses].map((list) =>
    JSON.stringify(list),
  );
  const rows = await db.query(selectPresent, values);
  return new Map(rows.map((row) => [String(row['session_id']), toPresentCard(row, rehearses)]));
}

/** Reads the card of a round, as it was stored; null if there is none. */
export async function cardOfRound(
  db: Queryable,
  id: string,
  round: number,
): Promise<StoredCard | null> {
  const [row] = await db.query(selectRound, [sessionUuid(id), round]);
  return row === undefined ? null : toCard(row);
}

function toPresentCard(row: Row, rehearses: boolean): StoredCard {
  const card = toCard(row);
  if (row['status'] === 'approved') return card;
  const isOpen = rehearses && row['needs_rehearsal'] === 't';
  return { ...card, known: knownFlags(row, isOpen ? card.round : null) };
}

function toCard(row: Row): StoredCard {
  return {
    sessionId: String(row['session_id']),
    round: Number(row['round']),
    digest: row['digest'] ?? null,
    madeAt: row['made_at'] ?? null,
    brief: new JsonText(String(row['brief'])),
    known: [],
  };
}

/** The subject of a card. */
export interface Proposal {
  readonly id: string;
  readonly round: number;
  readonly edits: number;
  readonly mutationCount: number;
}

const selectWithout = `
SELECT ${sessionIdSql('s.id')} AS id, greatest(s.round, 1) AS round FROM stage.session s
WHERE s.status = 'proposed'
  AND NOT EXISTS (SELECT FROM stage.card c WHERE c.session = s.id AND c.round = greatest(s.round, 1) AND c.digest IS NOT NULL)
  AND NOT $1::jsonb ? (${sessionIdSql('s.id')} || ' ' || greatest(s.round, 1))
ORDER BY s.proposed_at, s.id LIMIT 1`;

/** Names a round of a session, for `proposalWithoutCard`. */
export const roundName = ({ id, round }: Pick<Proposal, 'id' | 'round'>) => `${id} ${round}`;

/** Returns the oldest proposal without a complete card; null if there is none. @param but rounds to leave out */
export async function proposalWithoutCard(
  db: Queryable,
  but: readonly string[],
): Promise<Pick<Proposal, 'id' | 'round'> | null> {
  const [row] = await db.query(selectWithout, [JSON.stringify(but)]);
  return row === undefined ? null : { id: String(row['id']), round: Number(row['round']) };
}

/** Locks the row of the session for a moment: a rejection removes the cards that exist by then, so none may be stored after it. */
const insertCard = `
INSERT INTO stage.card (session, round, edits, mutations, sensitive, brief)
SELECT s.id, $2, $3, $4, $5, $6 FROM stage.session s
-- guard: a card is stored while its proposal stands
WHERE s.id = $1 AND s.status = 'proposed' AND greatest(s.round, 1) = $2 AND (s.edits, s.mutation_count) = ($3::bigint, $4::bigint)
FOR SHARE
-- guard: a card stays as it was
ON CONFLICT (session, round) DO NOTHING`;

const setDigest = `
UPDATE stage.card c SET digest = $5 WHERE c.session = $1 AND c.round = $2 AND (c.edits, c.mutations) = ($3::bigint, $4::bigint)
AND c.digest IS NULL`;

/** Stores the card of a proposal, if it still stands and has none. */
export async function storeCard(
  db: Database,
  proposal: Proposal,
  brief: Brief,
  sensitiveColumns: readonly string[],
): Promise<void> {
  const body = stringifyJson(writerOf(briefShape)(brief));
  await db.query(insertCard, [...placeOf(proposal), JSON.stringify(sensitiveColumns), body]);
}

/** Stores the digest of a proposal's card that has none, if the card describes the rows of this proposal. */
export async function storeDigest(db: Database, proposal: Proposal, digest: string): Promise<void> {
  await db.query(setDigest, [...placeOf(proposal), digest]);
}

const placeOf = ({ id, round, edits, mutationCount }: Proposal) => [
  sessionUuid(id),
  round,
  edits,
  mutationCount,
];
