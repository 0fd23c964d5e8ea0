/** Counts the votes for a session against what the policy demands. Pure, like evaluate.ts. */
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
  /** Why four eyes exclude the voter; null if they do not. */
  readonly excluded: string | null;
}

/** What is voted on, now. */
export interface Ballot {
  readonly round: number;
  readonly digest: string;
  readonly now: number;
}

export function demandsOf(rules: readonly Rule[]): Demand[] {
  return rules.flatMap(({ name, approvals }) => {
    if (approvals === undefined) return [];
    const { count, from = null, max_age: age } = approvals;
    return [{ rule: name, count, from, maxAgeMs: age === undefined ? null : durationMs(age) }];
  });
}

/** A name means the same person in any case. */
export const personOf = (name: string) => name.toLowerCase();

/** Whether a demand lets a person agree. */
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
  if (vote.digest !== digest) return 'was given for another diff';
  // guard: the vote of an author does not count
  if (vote.excluded !== null) return vote.excluded;
  return null;
}

export interface Tally {
  readonly demand: Demand;
  /** Names of those whose votes count, each person once, in the order of their votes. */
  readonly given: readonly string[];
}

/** Counts the votes for each demand. */
export function tally(demands: readonly Demand[], votes: readonly Vote[], ballot: Ballot): Tally[] {
  const valid = votes.filter((vote) => faultOf(vote, ballot) === null);
  return demands.map((demand) => {
    const given = new Map<string, string>();
    for (const vote of valid) {
      const { maxAgeMs } = demand;
      // guard: an old vote does not count
      if (maxAgeMs !== null && ballot.now - vote.at > maxAgeMs) continue;
      // guard: nobody but those named agrees
      if (!admits(demand, vote)) continue;
      // guard: nobody votes twice
      if (!given.has(personOf(vote.as))) given.set(personOf(vote.as), vote.as);
    }
    return { demand, given: [...given.values()] };
  });
}

export const isMet = ({ demand, given }: Tally) => given.length >= demand.count;

/** Returns the demand that most approvals are missing for; null if all are met. */
export function worstOf(tallies: readonly Tally[]): Tally | null {
  const missing = tallies.filter((one) => !isMet(one));
  const gap = ({ demand, given }: Tally) => demand.count - given.length;
  return missing.sort((one, other) => gap(other) - gap(one))[0] ?? null;
}
