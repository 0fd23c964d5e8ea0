/** How the rules judge a session now, for people and agents who ask before they propose or approve. */
import type { Database, Queryable } from '../../db/database.ts';
import { sessionNotFound, sessionUuid } from '../../staging/session-id.ts';
import type { Participants } from '../decisions/four-eyes.ts';
import { digestOf } from '../diff/diff-tables.ts';
import type { Approvals, FindPerson } from './approvals.ts';
import { readApprovals } from './approvals.ts';
import type { Judgement } from './judge.ts';
import { judge } from './judge.ts';
import { readPolicy } from './policy-store.ts';

export interface SessionPolicy {
  readonly judgement: Judgement;
  /** Null if no rule demands approvals, or the session is not proposed. */
  readonly approvals: Approvals | null;
}

export interface Reader {
  /** Whether the configuration demands four eyes. */
  readonly fourEyes: boolean;
  readonly find: FindPerson;
}

const selectSession = `
SELECT s.id AS uuid, s.status, s.reverts IS NOT NULL AS reverts, to_jsonb(s.earlier_authors || ARRAY[s.created_as, s.proposed_as]) AS authors
FROM stage.session s WHERE s.id = $1`;

/**
 * Judges a session that is active or proposed; null if it is decided, or there are no rules: then a single query is run.
 * @throws StageError `session_not_found`
 */
export async function readSessionPolicy(
  db: Database,
  id: string,
  reader: Reader,
): Promise<SessionPolicy | null> {
  const uuid = sessionUuid(id);
  const { document } = await readPolicy(db);
  if (document.rules.length === 0) return null;
  return db.transaction(async (tx) => {
    const [row] = await tx.query(selectSession, [uuid]);
    if (row === undefined) throw sessionNotFound(id);
    const status = row['status'];
    if (status !== 'active' && status !== 'proposed') return null;
    const judgement = await judge(tx, uuid);
    if (judgement === null) return null;
    const authors = JSON.parse(row['authors'] ?? '[]') as (string | null)[];
    const session = { uuid, authors, reverts: row['reverts'] === 't' };
    if (status === 'active') return { judgement, approvals: null };
    return { judgement, approvals: await approvalsIn(tx, session, judgement, reader) };
  }, 'repeatable read read only');
}

function approvalsIn(
  tx: Queryable,
  session: Participants,
  judgement: Judgement,
  { fourEyes, find }: Reader,
): Promise<Approvals | null> {
  return readApprovals(tx, session, judgement, {
    fourEyes: fourEyes || judgement.fourEyes,
    find,
    digest: () => digestOf(tx, session.uuid),
  });
}
