/** The rules and the votes of a session, for people and agents before they propose or approve. */
import type { Database, Queryable } from '../../db/database.ts';
import type { Approvals } from '../../model/policy.ts';
import { sessionNotFound, sessionUuid } from '../../staging/session-id.ts';
import { inSnapshot } from '../snapshot.ts';
import type { FindPerson, Voted } from './approvals.ts';
import { readApprovals } from './approvals.ts';
import type { PolicyCheck } from './check.ts';
import { checkPolicy } from './check.ts';
import type { Policy } from './evaluate.ts';
import { rulesFor } from './evaluate.ts';
import { readTables } from './facts.ts';
import { readPolicy } from './policy-store.ts';

export interface SessionPolicy {
  readonly check: PolicyCheck;
  /** Null if no rule demands approvals, or the session is not proposed. */
  readonly approvals: Approvals | null;
}

export interface Reader {
  /** Whether the configuration demands four eyes. */
  readonly fourEyes: boolean;
  readonly find: FindPerson;
}

const selectSession = `
SELECT s.id AS uuid, s.project_id, s.status, s.reverts IS NOT NULL AS reverts, to_jsonb(s.earlier_authors || ARRAY[s.created_as, s.proposed_as]) AS authors
FROM stage.session s WHERE s.id = $1`;

/**
 * Checks a session that is active or proposed; null if it is decided, or there are no rules: then a single query is run.
 * @param take waits until the rows of a session may be read, and returns the function that ends the reading
 * @throws StageError `session_not_found`, `took_too_long`, and those of `take`
 */
export async function readSessionPolicy(
  db: Database,
  id: string,
  { fourEyes, find }: Reader,
  take: () => Promise<() => void>,
): Promise<SessionPolicy | null> {
  const { document } = await readPolicy(db);
  if (document.rules.length === 0) return null;
  const leave = await take();
  try {
    return await inSnapshot(db, async (tx) => {
      const { status, ...session } = await readParticipants(tx, id);
      if (status !== 'active' && status !== 'proposed') return null;
      const check = await checkPolicy(tx, session.uuid);
      if (check === null) return null;
      if (status === 'active') return { check, approvals: null };
      const exclusion = { fourEyes: fourEyes || check.fourEyes, find };
      return { check, approvals: await readApprovals(tx, session, check.rules, exclusion) };
    });
  } finally {
    leave();
  }
}

/**
 * Returns the state of the votes on a proposed session; null if the policy demands none. It counts no staged rows, and without such a rule
 * a single query is run.
 * @throws StageError `session_not_found`
 */
export async function readSessionVotes(
  db: Database,
  id: string,
  { fourEyes, find }: Reader,
): Promise<Approvals | null> {
  const policy = await readPolicy(db);
  if (!policy.document.rules.some(({ approvals }) => approvals !== undefined)) return null;
  return db.transaction(async (tx) => {
    const { status, ...session } = await readParticipants(tx, id);
    if (status !== 'proposed') return null;
    const rules = rulesFor(policy, {
      projectId: session.projectId,
      tables: needsTables(policy) ? await readTables(tx, session.uuid) : [],
    });
    const demandsFourEyes = fourEyes || rules.some((rule) => rule.four_eyes === true);
    return readApprovals(tx, session, rules, { fourEyes: demandsFourEyes, find });
  }, 'repeatable read read only');
}

/** Returns whether the votes depend on the tables in which a session staged. */
function needsTables({ document: { rules } }: Policy): boolean {
  return rules.some(
    ({ tables, approvals, four_eyes: fourEyes }) =>
      tables !== undefined && (approvals !== undefined || fourEyes === true),
  );
}

async function readParticipants(
  tx: Queryable,
  id: string,
): Promise<Voted & { readonly status: string }> {
  const [row] = await tx.query(selectSession, [sessionUuid(id)]);
  if (row === undefined) throw sessionNotFound(id);
  return {
    uuid: String(row['uuid']),
    projectId: String(row['project_id']),
    status: String(row['status']),
    authors: JSON.parse(row['authors'] ?? '[]') as (string | null)[],
    reverts: row['reverts'] === 't',
  };
}
