/** Finds the functions that called names may refer to, from what other connections have learned or from the server. */
import type { InternalStatement, ServerQuery } from '../server-connection/internal-statement.ts';
import type { Called, Candidate } from './called-names.ts';
import { candidateOf } from './called-names.ts';
import type { Found } from './known-calls.ts';
import type { SharedKnowledge } from './shared-calls.ts';
import { isOfAll, nameContext } from './since-made.ts';

const findCode: InternalStatement = {
  text: `SELECT ${nameContext}, ${isOfAll}, c.* FROM (SELECT) one LEFT JOIN stage.find_code($1) c ON true`,
};

/** The connection's knowledge of its search path and role. */
interface KnownPath {
  /** Returns the path, or null if it may have changed since the server last reported it. */
  surePath(): string | null;
  /** Records the path that the server reports. Returns whether it is unchanged. */
  note(found: Buffer | null | undefined): boolean;
}

/** Creates the function that finds the candidates for each name, in order. */
export function candidateFinder(
  query: ServerQuery,
  { calls, user }: SharedKnowledge,
  known: KnownPath,
): (called: readonly Called[]) => Promise<Found> {
  return async (called) => {
    const sure = known.surePath();
    const shared = sure === null ? null : calls.known(`${user}\0${sure}`, called);
    if (shared !== null) return { candidates: shared, isSamePath: true };
    const learn = calls.learner();
    const found = await query(findCode, [Buffer.from(JSON.stringify(called))]);
    const [context, isShown] = found[0] ?? [];
    const candidates = called.map((): Candidate[] => []);
    for (const [, , place, ...row] of found) candidates[Number(place) - 1]?.push(candidateOf(row));
    // guard: calls that an old snapshot shows are not shared
    if (String(isShown) === 't') learn(`${user}\0${context}`, called, candidates);
    return { candidates, isSamePath: known.note(context) };
  };
}
