/** Access control of the REST API: roles, their rights, and the projects of tokens. */

export const roles = ['author', 'agent', 'reviewer', 'operator'] as const;
export type Role = (typeof roles)[number];

/** The right that a request needs: to read, to create and propose sessions, to read the audit, to decide, to operate the service. */
export type Right = 'read' | 'write' | 'audit' | 'review' | 'operate';

/** Only an operator can both write and review. */
const rightsOf: Readonly<Record<Role, readonly Right[]>> = {
  author: ['read', 'write', 'audit'],
  // guard: an agent reads no audit
  // guard: an agent does not decide
  agent: ['read', 'write'],
  reviewer: ['read', 'audit', 'review'],
  operator: ['read', 'write', 'audit', 'review', 'operate'],
};

export const rehearsalAccess = ['off', 'reviewers', 'authors'] as const;
/** Who may rehearse: nobody, reviewers, or also authors and agents their own sessions. */
export type RehearsalAccess = (typeof rehearsalAccess)[number];

export interface Caller {
  /** Name of the token; null if no token is required. */
  readonly name: string | null;
  readonly role: Role;
  /** The only projects it is valid for, or null for all. */
  readonly projects: readonly string[] | null;
}

/** A token that the REST API accepts. Only its hash is known. */
export interface Token extends Caller {
  readonly name: string;
  /** SHA-256, 32 bytes. */
  readonly hash: Buffer;
  /** Database roles that the token's owner logs in with, in addition to one of the token's name. */
  readonly databaseRoles: readonly string[];
  /** The time at which it expires, in ISO 8601 and UTC; null for never. */
  readonly expiresAt: string | null;
}

/** Returns an id that does not reveal the token: the first digits of its hash. */
export function tokenId({ hash }: Token): string {
  return hash.toString('hex').slice(0, 12);
}

/** Returns whether a token has expired. @param now milliseconds since 1970 */
export function isExpired({ expiresAt }: Token, now: number): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= now;
}

export function hasRight({ role }: Caller, right: Right): boolean {
  return rightsOf[role].includes(right);
}

/** Returns all rights of the caller's role. */
export function rightsOfCaller({ role }: Caller): readonly Right[] {
  return rightsOf[role];
}

/** Returns whether the caller sees only sessions that were created with a token of its name. */
export function seesOwnOnly({ role }: Caller): boolean {
  // guard: an agent learns of no other sessions
  return role === 'agent';
}

/** Returns whether the caller sees only rows of tables that every role which staged in the session may read. */
export function seesReadableOnly(caller: Caller): boolean {
  // guard: authors are shown only tables that may be read
  return !hasRight(caller, 'review');
}

/** Returns the person that a name means. Two names that differ in upper and lower case alone mean one person. */
export function personOf(name: string): string {
  // guard: a person is a name in upper or lower case
  return name.toLowerCase();
}

function tokensOf(tokens: readonly Token[], { name }: Pick<Caller, 'name'>): readonly Token[] {
  if (name === null) return [];
  const person = personOf(name);
  return tokens.filter((token) => personOf(token.name) === person);
}

/** Returns the database roles of all tokens of a person. */
export function databaseRolesOf(tokens: readonly Token[], caller: Pick<Caller, 'name'>): string[] {
  // guard: configured roles are those of all tokens of the name
  return tokensOf(tokens, caller).flatMap((token) => token.databaseRoles);
}

/** The state of a person's tokens for one project. */
export interface Standing {
  /** The roles of those that are accepted for the project. */
  readonly roles: readonly Role[];
  /** Why none of them may approve; null if one may. */
  readonly refusal: string | null;
}

/**
 * Returns what a person's tokens allow in a project.
 * @param now milliseconds since 1970
 */
export function standingOf(
  tokens: readonly Token[],
  name: string,
  { projectId, now }: { readonly projectId: string; readonly now: number },
): Standing {
  const own = tokensOf(tokens, { name });
  const current = own.filter((token) => !isExpired(token, now));
  // guard: a role in another project agrees to nothing
  const accepted = current.filter((token) => isInScope(token, projectId));
  const roles = accepted.map(({ role }) => role);
  if (accepted.some((token) => hasRight(token, 'review'))) return { roles, refusal: null };
  if (own.length === 0) return { roles, refusal: 'no token has this name now' };
  if (current.length === 0) return { roles, refusal: 'the token has expired' };
  return accepted.length === 0
    ? { roles, refusal: 'the token is not valid for the project' }
    : { roles, refusal: 'the token may not approve' };
}

/** Returns the roles that have a right, for messages. */
export function rolesWith(right: Right): readonly Role[] {
  return roles.filter((role) => rightsOf[role].includes(right));
}

/** Returns whether a project is among those of the caller. */
export function isInScope({ projects }: Caller, projectId: string): boolean {
  return projects === null || projects.includes(projectId);
}
