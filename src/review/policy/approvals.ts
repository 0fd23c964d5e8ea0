/** The votes on a session: who agreed, who is missing, and whether one more approval is the last one. */
import type { Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import { decide } from '../../staging/decision-store.ts';
import type { Participants } from '../decisions/four-eyes.ts';
import { demandFourEyes } from '../decisions/four-eyes.ts';
import type { Judgement } from './judge.ts';
import type { Ballot, Demand, Tally, Vote } from './votes.ts';
import { admits, demandsOf, faultOf, isMet, personOf, tally, worstOf } from './votes.ts';

/** What the tokens say about a name now. */
export interface Person {
  readonly roles: readonly string[];
  readonly databaseRoles: readonly string[];
}

export type FindPerson = (name: string) => Person;

/** The state of the votes, as it is shown. */
export interface Approvals {
  /** How many must agree, by the demand that most are missing for. */
  readonly needed: number;
  /** How many of them have agreed. */
  readonly count: number;
  readonly given: readonly {
    readonly as: string;
    readonly at: string;
    readonly counts: boolean;
    readonly why: string | null;
  }[];
  /** The demands that are not met. */
  readonly missing: readonly {
    readonly rule: string;
    readonly more: number;
    readonly from: readonly string[] | null;
  }[];
}

const selectVotes = `
SELECT d.by_as, d.round, d.digest, extract(epoch FROM d.at) * 1000 AS at, stage.iso_time(d.at) AS time
FROM stage.decision d WHERE d.session = $1 AND d.verdict = 'vote' ORDER BY d.number`;

const selectRound = 'SELECT greatest(s.round, 1) AS round FROM stage.session s WHERE s.id = $1';

/** Reads the votes of all rounds. Under four eyes those of authors are marked. */
async function readVotes(
  tx: Queryable,
  session: Participants,
  { fourEyes, find }: { readonly fourEyes: boolean; readonly find: FindPerson },
): Promise<Vote[]> {
  const votes: Vote[] = [];
  for (const row of await tx.query(selectVotes, [session.uuid])) {
    const as = String(row['by_as']);
    const { roles, databaseRoles } = find(as);
    const excluded = fourEyes ? await exclusionOf(tx, session, as, databaseRoles) : null;
    const [at, round] = [Number(row['at']), Number(row['round'])];
    const [time, digest] = [String(row['time']), String(row['digest'])];
    votes.push({ as, at, round, time, digest, roles, excluded });
  }
  return votes;
}

async function exclusionOf(
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
  { facts }: Judgement,
  digest: string,
): Promise<Ballot> {
  const [row] = await tx.query(selectRound, [uuid]);
  return { round: Number(row?.['round']), digest, now: facts.now };
}

export interface Approving {
  /** The name of the presented token. */
  readonly as: string | null;
  readonly approvedBy: string | null;
  readonly digest: string;
  /** Whether the configuration or the policy demands four eyes. */
  readonly fourEyes: boolean;
  readonly find: FindPerson;
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
  session: Participants,
  judgement: Judgement,
  { as, approvedBy, digest, fourEyes, find }: Approving,
): Promise<Outcome> {
  const demands = demandsOf(judgement.rules);
  if (demands.length === 0) return { last: true, voters: [] };
  // guard: nobody without a name is counted
  if (as === null) throw unnamed();
  const own = { as, roles: find(as).roles };
  // guard: whom the policy does not name does not approve
  if (!demands.some((demand) => admits(demand, own))) throw notNamed(as, demands);
  const ballot = await ballotOf(tx, session, judgement, digest);
  const votes = await readVotes(tx, session, { fourEyes, find });
  const { round, now } = ballot;
  const vote: Vote = { ...own, at: now, time: '', round, digest, excluded: null };
  const before = tally(demands, votes, ballot);
  const after = tally(demands, [...votes, vote], ballot);
  // guard: an approval that is not the last one applies nothing
  if (after.every(isMet)) return { last: true, voters: votersOf(after, as) };
  const adds = after.some(({ given }, index) => given.length > (before[index]?.given.length ?? 0));
  if (adds) await decide(tx, session.uuid, 'vote', as, { digest, approved_by: approvedBy });
  const counted = adds ? await readVotes(tx, session, { fourEyes, find }) : votes;
  return { last: false, approvals: approvalsOf(demands, counted, ballot) };
}

/** Returns the names of all who agreed; the approver's is the last. */
function votersOf(tallies: readonly Tally[], last: string): string[] {
  const names = tallies.flatMap(({ given }) => given);
  const others = new Map(names.map((name) => [personOf(name), name]));
  others.delete(personOf(last));
  return [...others.values(), last];
}

/** Returns the state of the votes on a session; null if the policy demands none. @param digest returns that of the diff now */
export async function readApprovals(
  tx: Queryable,
  session: Participants,
  judgement: Judgement,
  context: {
    readonly fourEyes: boolean;
    readonly find: FindPerson;
    readonly digest: () => Promise<string>;
  },
): Promise<Approvals | null> {
  const demands = demandsOf(judgement.rules);
  if (demands.length === 0) return null;
  const votes = await readVotes(tx, session, context);
  const digest = votes.length === 0 ? '' : await context.digest();
  return approvalsOf(demands, votes, await ballotOf(tx, session, judgement, digest));
}

function approvalsOf(
  demands: readonly Demand[],
  votes: readonly Vote[],
  ballot: Ballot,
): Approvals {
  const tallies = tally(demands, votes, ballot);
  const worst = worstOf(tallies) ?? tallies[0];
  const counted = new Set(tallies.flatMap(({ given }) => given));
  const given = votes.map((vote) => {
    const why = faultOf(vote, ballot) ?? (counted.has(vote.as) ? null : notCounted);
    return { as: vote.as, at: vote.time, counts: why === null, why };
  });
  const missing = tallies
    .filter((one) => !isMet(one))
    .map(({ demand, given: have }) => {
      const people = new Set(have.map(personOf));
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
