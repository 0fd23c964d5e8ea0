/** The verdicts on sessions: append-only, each numbered as the event that reports it. */
import type { Queryable } from '../db/database.ts';
import { rowReaderOf } from '../db/noun-row.ts';
import type { Decision, Verdict } from '../model/decision.ts';
import { decisionShape } from '../model/decision.ts';
import type { JsonObject } from '../model/json.ts';
import { stringifyJson } from '../model/json.ts';
import type { PageFilter } from '../model/paging.ts';
import { cutTo, rowsFor } from '../model/paging.ts';
import { sessionNotFound, sessionUuid } from './session-id.ts';

const selectDecisions = `
SELECT d.number, d.round, d.verdict, d.digest, d.by_as AS by, d.by_claim AS claimed_by, d.message, stage.iso_time(d.at) AS at
FROM stage.decision d WHERE d.session = $1 AND d.number > $2 ORDER BY d.number LIMIT $3 OFFSET $4`;

const toDecision = rowReaderOf(decisionShape);

/** Decisions outlive their session, but are returned only while it exists. */
const countDecisions = `
SELECT (SELECT count(*) FROM stage.decision d WHERE d.session = $1) FROM stage.session WHERE id = $1`;

export interface DecisionPage {
  readonly decisions: Decision[];
  /** Number of all decisions, regardless of the limit. */
  readonly totalCount: number;
  readonly hasMore: boolean;
}

/**
 * Changes the state of a locked session by a verdict, and records it with its event. Must be the last step of the transaction.
 * @param by the authenticated name of the deciding user
 * @param body the members of the event: digest, approved_by, reason or message
 * @returns the number of the event
 */
export async function decide(
  tx: Queryable,
  uuid: string,
  verdict: Verdict,
  by: string | null,
  body: JsonObject,
): Promise<string> {
  const values = [uuid, verdict, by, stringifyJson(body)];
  const [row] = await tx.query('SELECT stage.decide($1, $2, $3, $4) AS number', values);
  return String(row?.['number']);
}

/** Lists the verdicts on a session, oldest first. @throws StageError `session_not_found` */
export async function listDecisions(
  db: Queryable,
  id: string,
  filter: PageFilter,
): Promise<DecisionPage> {
  const uuid = sessionUuid(id);
  const after = filter.after?.[0] ?? '0';
  const read = await db.query(selectDecisions, [uuid, after, rowsFor(filter), filter.offset]);
  const [total] = await db.query(countDecisions, [uuid]);
  if (total === undefined) throw sessionNotFound(id);
  const { rows, hasMore } = cutTo(filter, read);
  return { decisions: rows.map(toDecision), totalCount: Number(total['count']), hasMore };
}
