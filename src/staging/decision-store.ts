/** The verdicts on sessions: append-only, each numbered as the event that reports it. */
import type { Queryable } from '../db/database.ts';
import { rowReaderOf } from '../db/noun-row.ts';
import type { Decision, Verdict } from '../model/decision.ts';
import { decisionShape } from '../model/decision.ts';
import type { JsonObject } from '../model/json.ts';
import { stringifyJson } from '../model/json.ts';
import { sessionNotFound, sessionUuid } from './session-id.ts';

const selectDecisions = `
SELECT d.number, d.round, d.verdict, d.digest, d.by_as AS by, d.by_claim AS claimed_by, d.message, stage.iso_time(d.at) AS at
FROM stage.decision d WHERE d.session = $1 ORDER BY d.number`;

const toDecision = rowReaderOf(decisionShape);

const selectSession = 'SELECT FROM stage.session WHERE id = $1';

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
export async function listDecisions(db: Queryable, id: string): Promise<Decision[]> {
  const uuid = sessionUuid(id);
  const rows = await db.query(selectDecisions, [uuid]);
  // decisions outlive their session, but are returned only while it exists
  if ((await db.query(selectSession, [uuid])).length === 0) throw sessionNotFound(id);
  return rows.map(toDecision);
}
