/** Counts the votes for a session against what the policy demands. Pure, like evaluate.ts. */
import { personOf } from '../../model/access.ts';
import type { Rule } from './document.ts';
import { durationMs } from './document.ts';

/** How many must agree, and who may, by one rule. */
export interface Demand {
  readonly rule: string;
  readonly count: number;
  /** Names, and roles as `role:reviewer`; null for everybody who may approve. */
  readonly from: readonly string[] | null;
  /** The longest time for which a vote counts; null for as long as the round. */
  readonly maxAgeMs: number | null;
}

export interface Vote {
  readonly as: string;
  /** In milliseconds since 1970, by the clock of the database. */
  readonly at: number;
  /** As it is shown. */
  readonly time: string;
  readonly round: number;
  readonly digest: string;
  /** The roles of the tokens of that name now. */
  readonly roles: readonly string[];
  /** Why the voter may not agree now, by the tokens or by four eyes; null if nothing excludes the voter. */
  readonly excluded: string | null;
}

/** The present subject of votes. */
export interface Ballot {
  readonly round: number;
  /** Null if the digest is not compared. */
  readonly digest: string | null;
  readonly now: number;
}

/** Returns the rules' demands for approvals. */
export function demandsOf(rules: readonly Rule[]): Demand[] {
  return rules.flatMap(({ name, approvals }) => {
    if (approvals === undefined) return [];
    const { count, from = null, max_age: age } = approvals;
    return [{ rule: name, count, from, maxAgeMs: age === undefined ? null : durationMs(age) }];
  });
}

/** Returns whether a demand lets a person agree. */
export function admits({ from }: Demand, { as, roles }: Pick<Vote, 'as' | 'roles'>): boolean {
  if (from === null) return true;
  return from.some((who) =>
    who.startsWith('role:')
      ? roles.includes(who.slice('role:'.length))
      : personOf(who) === personOf(as),
  );
}

/** Returns why a vote does not count at all; null if it may count. */
export function faultOf(vote: Vote, { round, digest }: Ballot): string | null {
  // guard: a vote counts in its round only
  if (vote.round !== round) return `was given in round ${vote.round}`;
  // guard: a vote counts for the diff that was reviewed
  if (digest !== null && vote.digest !== digest) return 'was given for another diff';
  // guard: a vote of somebody who may not agree does not count
  if (vote.excluded !== null) return vote.excluded;
  return null;
}

export interface Tally {
  readonly demand: Demand;
  /** The votes that count, one of each person, in the order in which they were given. */
  readonly given: readonly Vote[];
}

/** Returns the newest of each person's votes that may count. */
export function newestOf(votes: readonly Vote[], ballot: Ballot): readonly Vote[] {
  const newest = new Map<string, Vote>();
  for (const vote of votes) {
    if (faultOf(vote, ballot) !== null) continue;
    // guard: nobody votes twice
    const person = personOf(vote.as);
    newest.delete(person);
    newest.set(person, vote);
  }
  return [...newest.values()];
}

/** Counts the votes for each demand. @param votes in the order in which they were given */
export function tally(demands: readonly Demand[], votes: readonly Vote[], ballot: Ballot): Tally[] {
  const newest = newestOf(votes, ballot);
  return demands.map((demand) => ({
    demand,
    given: newest.filter((vote) => {
      const { maxAgeMs } = demand;
      // guard: an old vote does not count
      if (maxAgeMs !== null && ballot.now - vote.at > maxAgeMs) return false;
      // guard: nobody but those named agrees
      if (!admits(demand, vote)) return false;
      return true;
    }),
  }));
}

/** Returns whether a person's vote is renewed when it is given again: for some demand, half of its longest time is over. */
export function renews({ demand, given }: Tally, as: string, { now }: Ballot): boolean {
  const earlier = given.find((vote) => personOf(vote.as) === personOf(as));
  const { maxAgeMs } = demand;
  return earlier !== undefined && maxAgeMs !== null && now - earlier.at > maxAgeMs / 2;
}

export const isMet = ({ demand, given }: Tally) => given.length >= demand.count;

/** Returns the demand that most approvals are missing for; null if all are met. */
export function worstOf(tallies: readonly Tally[]): Tally | null {
  const missing = tallies.filter((one) => !isMet(one));
  const gap = ({ demand, given }: Tally) => demand.count - given.length;
  return missing.sort((one, other) => gap(other) - gap(one))[0] ?? null;
}
