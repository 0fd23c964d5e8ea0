/** The votes on a session: who agreed, who is missing, and whether one more approval is the last one. */
import type { Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import { personOf } from '../../model/access.ts';
import type { Approvals } from '../../model/policy.ts';
import { decide } from '../../staging/decision-store.ts';
import type { LockedSession } from '../../staging/session-lock.ts';
import type { Participants } from '../decisions/four-eyes.ts';
import { demandFourEyes } from '../decisions/four-eyes.ts';
import type { Rule } from './document.ts';
import type { Ballot, Demand, Tally, Vote } from './votes.ts';
import { admits, demandsOf, faultOf, isMet, newestOf, renews, tally, worstOf } from './votes.ts';

/** The rights that the tokens of a person have in a project now. */
export interface Person {
  readonly roles: readonly string[];
  readonly databaseRoles: readonly string[];
  /** Why the person may not approve; null if nothing is known against it. */
  readonly refusal: string | null;
}

export type FindPerson = (name: string, projectId: string) => Person;

/** The parts of a session that votes depend on. */
export type Voted = Participants & Pick<LockedSession, 'projectId'>;

const selectVotes = `
SELECT d.by_as, d.round, d.digest, extract(epoch FROM d.at) * 1000 AS at, stage.iso_time(d.at) AS time
FROM stage.decision d WHERE d.session = $1 AND d.verdict = 'vote' ORDER BY d.number`;

const selectRound = `
SELECT greatest(s.round, 1) AS round, extract(epoch FROM clock_timestamp()) * 1000 AS now FROM stage.session s WHERE s.id = $1`;

interface Exclusion {
  readonly fourEyes: boolean;
  readonly find: FindPerson;
}

/**
 * Reads the votes of all rounds, and marks those whose voters may not agree now. Four eyes is checked for votes of the present round only.
 */
async function readVotes(
  tx: Queryable,
  session: Voted,
  ballot: Ballot,
  { fourEyes, find }: Exclusion,
): Promise<Vote[]> {
  const votes: Vote[] = [];
  for (const row of await tx.query(selectVotes, [session.uuid])) {
    const as = String(row['by_as']);
    const { roles, databaseRoles, refusal } = find(as, session.projectId);
    const [at, round] = [Number(row['at']), Number(row['round'])];
    const isChecked = fourEyes && round === ballot.round;
    const part = isChecked ? await partOf(tx, session, as, databaseRoles) : null;
    const [time, digest] = [String(row['time']), String(row['digest'])];
    // guard: a vote counts while a token of the voter may approve
    const excluded = refusal ?? part;
    votes.push({ as, at, round, time, digest, roles, excluded });
  }
  return votes;
}

/** Returns the part that an approver has in the session, by four eyes; null for none. */
async function partOf(
  tx: Queryable,
  session: Participants,
  approvedAs: string,
  databaseRoles: readonly string[],
): Promise<string | null> {
  try {
    await demandFourEyes(tx, session, { approvedAs, databaseRoles });
    return null;
  } catch (error) {
    if (error instanceof StageError) return error.message;
    throw error;
  }
}

async function ballotOf(
  tx: Queryable,
  { uuid }: Participants,
  digest: string | null,
): Promise<Ballot> {
  const [row] = await tx.query(selectRound, [uuid]);
  return { round: Number(row?.['round']), digest, now: Number(row?.['now']) };
}

export interface Approving {
  /** The name of the presented token. */
  readonly as: string | null;
  readonly approvedBy: string | null;
  readonly digest: string;
  /** Whether the configuration or the policy demands four eyes. */
  readonly fourEyes: boolean;
  readonly find: FindPerson;
  /** When the approval was given, if not now; in milliseconds since 1970. */
  readonly givenAt?: number | null;
  /** When it is applied, if not now. */
  readonly appliedAt?: number | null;
}

/** Either the approval is the last one, with the names of all who agreed, or it was recorded as a vote. */
export type Outcome =
  | { readonly last: true; readonly voters: readonly string[] }
  | { readonly last: false; readonly approvals: Approvals };

/**
 * Counts an approval of a locked session, whose digest was compared. One that is not the last is recorded as a vote.
 * @throws StageError `approver_required` for somebody who may not agree
 */
export async function countApproval(
  tx: Queryable,
  session: Voted,
  rules: readonly Rule[],
  approving: Approving,
): Promise<Outcome> {
  const { as, approvedBy, digest, fourEyes, find } = approving;
  const demands = demandsOf(rules);
  if (demands.length === 0) return { last: true, voters: [] };
  // guard: nobody without a name is counted
  if (as === null) throw unnamed();
  const own = { as, roles: find(as, session.projectId).roles };
  // guard: whom the policy does not name does not approve
  if (!demands.some((demand) => admits(demand, own))) throw notNamed(as, demands);
  const { votes, ballot, before, after } = await tallyWith(tx, session, demands, approving, as);
  // guard: an approval that is not the last one applies nothing
  if (after.every(isMet)) return { last: true, voters: votersOf(after, as) };
  const adds = after.some(({ given }, index) => given.length > (before[index]?.given.length ?? 0));
  // guard: a vote is renewed before it is too old
  const isRecorded = adds || before.some((one) => renews(one, as, ballot));
  if (isRecorded) await decide(tx, session.uuid, 'vote', as, { digest, approved_by: approvedBy });
  const known = isRecorded ? await readVotes(tx, session, ballot, { fourEyes, find }) : votes;
  return { last: false, approvals: approvalsOf(demands, known, ballot) };
}

/** Returns whether an approval is enough for the demands of rules. Records nothing. */
export async function isEnough(
  tx: Queryable,
  session: Voted,
  rules: readonly Rule[],
  approving: Approving,
): Promise<boolean> {
  const demands = demandsOf(rules);
  if (demands.length === 0) return true;
  if (approving.as === null) return false;
  const { after } = await tallyWith(tx, session, demands, approving, approving.as);
  return after.every(isMet);
}

interface Tallies {
  readonly votes: readonly Vote[];
  readonly ballot: Ballot;
  /** Without the approval, and with it. */
  readonly before: readonly Tally[];
  readonly after: readonly Tally[];
}

async function tallyWith(
  tx: Queryable,
  session: Voted,
  demands: readonly Demand[],
  { digest, fourEyes, find, givenAt = null, appliedAt = null }: Approving,
  as: string,
): Promise<Tallies> {
  const present = await ballotOf(tx, session, digest);
  const { round } = present;
  // guard: votes have to count when the approval is applied
  const ballot = { ...present, now: Math.max(present.now, appliedAt ?? 0) };
  const votes = await readVotes(tx, session, ballot, { fourEyes, find });
  // guard: an approval is as old as when it was given
  const at = givenAt ?? present.now;
  const { roles } = find(as, session.projectId);
  const vote: Vote = { as, roles, at, time: '', round, digest, excluded: null };
  const before = tally(demands, votes, ballot);
  return { votes, ballot, before, after: tally(demands, [...votes, vote], ballot) };
}

/** Returns the names of all who agreed; the approver's is the last. */
function votersOf(tallies: readonly Tally[], last: string): string[] {
  const names = tallies.flatMap(({ given }) => given.map(({ as }) => as));
  const others = new Map(names.map((name) => [personOf(name), name]));
  others.delete(personOf(last));
  return [...others.values(), last];
}

/**
 * Returns the state of the votes on a proposed session; null if the rules demand none. Digests are not compared: each vote has the one that
 * its session had when it was given, and the rows of a proposed session do not change.
 */
export async function readApprovals(
  tx: Queryable,
  session: Voted,
  rules: readonly Rule[],
  exclusion: Exclusion,
): Promise<Approvals | null> {
  const demands = demandsOf(rules);
  if (demands.length === 0) return null;
  const ballot = await ballotOf(tx, session, null);
  return approvalsOf(demands, await readVotes(tx, session, ballot, exclusion), ballot);
}

function approvalsOf(
  demands: readonly Demand[],
  votes: readonly Vote[],
  ballot: Ballot,
): Approvals {
  const tallies = tally(demands, votes, ballot);
  const worst = worstOf(tallies) ?? tallies[0];
  const counted = new Set(tallies.flatMap(({ given }) => given));
  const newest = new Set(newestOf(votes, ballot));
  const given = votes.map((vote) => {
    const repeated = newest.has(vote) ? notCounted : 'was given again later';
    const why = faultOf(vote, ballot) ?? (counted.has(vote) ? null : repeated);
    return { as: vote.as, at: vote.time, counts: why === null, why };
  });
  const missing = tallies
    .filter((one) => !isMet(one))
    .map(({ demand, given: have }) => {
      const people = new Set(have.map(({ as }) => personOf(as)));
      const from = demand.from?.filter((who) => !people.has(personOf(who))) ?? null;
      return { rule: demand.rule, more: demand.count - have.length, from };
    });
  return { needed: worst?.demand.count ?? 0, count: worst?.given.length ?? 0, given, missing };
}

const notCounted = 'is too old, or of somebody whom the policy does not name';

function unnamed(): StageError {
  return new StageError(
    'approver_required',
    'the policy counts who agrees, and nobody who shows no token has a name',
    { hint: 'Approve it with the token of somebody who may agree: stage policy show.' },
  );
}

function notNamed(name: string, demands: readonly Demand[]): StageError {
  const from = [...new Set(demands.flatMap((demand) => demand.from ?? []))];
  const rules = demands.map(({ rule }) => JSON.stringify(rule)).join(', ');
  return new StageError('approver_required', `by the rule ${rules} ${name} may not agree`, {
    hint: `Have it approved by one of ${from.join(', ')}.`,
    facts: { from },
  });
}
