/** The proposed sessions with the rules that hold for them, for tasks that read all of them repeatedly. */
import type { Database } from '../../db/database.ts';
import { sessionIdSql, sessionUuid } from '../../staging/session-id.ts';
import type { Rule } from './document.ts';
import type { Policy } from './evaluate.ts';
import { rulesFor } from './evaluate.ts';
import { readTables } from './facts.ts';

/** The maximum number of sessions whose tables are read in one run; the others follow. */
const readAtOnce = 1000;

const selectProposed = `
SELECT ${sessionIdSql('s.id')} AS id, s.id AS uuid, s.project_id, s.round, s.scheduled IS NOT NULL AS scheduled,
  s.reverts IS NOT NULL OR s.split_from IS NOT NULL AS derived,
  extract(epoch FROM s.proposed_at) * 1000 AS proposed_at, extract(epoch FROM clock_timestamp()) * 1000 AS now
FROM stage.session s WHERE s.status = 'proposed' ORDER BY s.proposed_at`;

export interface Proposal {
  readonly id: string;
  /** The number of the proposal: it grows when a session is reopened. */
  readonly round: string;
  /** The same for one round and one version of the policy. */
  readonly key: string;
  readonly rules: readonly Rule[];
  /** In milliseconds since 1970, by the clock of the database. */
  readonly now: number;
  readonly proposedAt: number;
  readonly isScheduled: boolean;
  /** Whether it reverts an approval, or was split from another session. */
  readonly isDerived: boolean;
}

/**
 * Returns the function that lists the proposed sessions, oldest first. The staged tables of each are read once for each version of the
 * policy, and rows are never counted, because the cost of that grows with the session.
 */
export function createProposals(db: Database): (policy: Policy) => Promise<Proposal[]> {
  let known = new Map<string, readonly Rule[]>();
  return async (policy) => {
    const proposals: Proposal[] = [];
    const current = new Map<string, readonly Rule[]>();
    let left = readAtOnce;
    for (const row of await db.query(selectProposed)) {
      const key = `${row['id']} ${row['round']} ${policy.version}`;
      const cached = known.get(key);
      if (cached === undefined && left === 0) continue;
      if (cached === undefined) left -= 1;
      const { uuid, project_id: projectId } = row;
      const rules = cached ?? (await rulesOf(db, policy, String(uuid), String(projectId)));
      current.set(key, rules);
      const times = { now: Number(row['now']), proposedAt: Number(row['proposed_at']) };
      const [isScheduled, isDerived] = [row['scheduled'] === 't', row['derived'] === 't'];
      const named = { id: String(row['id']), round: String(row['round']), key };
      proposals.push({ ...named, rules, ...times, isScheduled, isDerived });
    }
    known = current;
    return proposals;
  };
}

/** Returns whether a session still waits for a decision, in the round in which it was listed. */
export async function isUndecided(db: Database, { id, round }: Proposal): Promise<boolean> {
  const [row] = await db.query(
    `SELECT FROM stage.session WHERE id = $1 AND round = $2 AND status = 'proposed'`,
    [sessionUuid(id), round],
  );
  return row !== undefined;
}

/**
 * Returns the rules that hold for a session: all rules if its tables cannot be read, as whoever continues with the session gets the same
 * error.
 */
async function rulesOf(
  db: Database,
  policy: Policy,
  uuid: string,
  projectId: string,
): Promise<readonly Rule[]> {
  try {
    return rulesFor(policy, { projectId, tables: await readTables(db, uuid) });
  } catch {
    return policy.document.rules;
  }
}
