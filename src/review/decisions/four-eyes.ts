/** Four eyes: authors of a session may not approve it, whether they took part over REST or over SQL. */
import type { Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import { personOf } from '../../model/access.ts';
import type { LockedSession } from '../../staging/session-lock.ts';

export interface Approver {
  /** The name of the presented token; null if none was required. */
  readonly approvedAs: string | null;
  /** Database roles that belong to the approver, besides one with the token's name. */
  readonly databaseRoles: readonly string[];
}

/** The parts of a session that show who took part in it. */
export type Participants = Pick<LockedSession, 'uuid' | 'authors' | 'reverts'>;

/**
 * Refuses an approver who created or proposed the session over REST, or staged in it over SQL. An unknown author could be the approver.
 * @throws StageError `four_eyes_required`
 */
export async function demandFourEyes(
  tx: Queryable,
  { uuid, authors, reverts }: Participants,
  { approvedAs: name, databaseRoles }: Approver,
): Promise<void> {
  if (name === null) throw refused('nobody who shows no token may approve a session');
  if (authors.includes(null))
    throw refused('it is not known who created and proposed the session', forNobody);
  const persons = authors.map((author) => personOf(author ?? ''));
  // guard: who created or proposed does not approve
  if (persons.includes(personOf(name)))
    throw refused(`${name} created or proposed the session, and may not approve it`);
  // guard: who set another role by SET ROLE is known by the login
  const staging = 'SELECT stage.roles_of($1) AS role UNION ALL SELECT stage.logins_of($1)';
  const rows = await tx.query(staging, [uuid]);
  const stagers = rows.map(({ role }) => role ?? null);
  // guard: a role that is not known may be that of the approver
  if (stagers.includes(null) && !reverts)
    throw refused('it is not known which database roles staged in the session', forNobody);
  // PostgreSQL folds unquoted names to lower case: Ann may have logged in as ann
  // guard: names of tokens are names of roles in whatever case
  const own = new Set([name.toLowerCase(), ...databaseRoles.map((role) => role.toLowerCase())]);
  const staged = stagers.find((role) => role !== null && own.has(role.toLowerCase()));
  // guard: who staged over SQL does not approve
  if (staged === undefined) return;
  throw refused(
    `${name} may not approve the session: the database role ${JSON.stringify(staged)} staged in it`,
  );
}

const forOthers =
  'Have it approved with the token of somebody who neither created nor proposed it, nor staged in it.';

/** The hint where an unknown author excludes every approver. */
const forNobody = 'Reject the session, and stage its changes anew in another one.';

function refused(message: string, hint = forOthers): StageError {
  return new StageError('four_eyes_required', message, { hint });
}
