/** Who may do what over REST: roles, the rights they give, and the projects they are good for. */

export const roles = ['author', 'agent', 'reviewer', 'operator'] as const;
export type Role = (typeof roles)[number];

/** What a request does: look, make and propose sessions, read the audit, decide about sessions, run the service. */
export type Right = 'read' | 'write' | 'audit' | 'review' | 'operate';

/** Nobody but an operator both writes and reviews. */
const rightsOf: Readonly<Record<Role, readonly Right[]>> = {
  author: ['read', 'write', 'audit'],
  // guard: an agent reads no audit
  // guard: an agent does not decide
  agent: ['read', 'write'],
  reviewer: ['read', 'audit', 'review'],
  operator: ['read', 'write', 'audit', 'review', 'operate'],
};

export interface Caller {
  /** Name of the token; null where nobody has to show one. */
  readonly name: string | null;
  readonly role: Role;
  /** The only projects it is good for, or null for all. */
  readonly projects: readonly string[] | null;
}

/** A token that the REST API accepts; of the token itself only its hash is known. */
export interface Token extends Caller {
  readonly name: string;
  /** SHA-256, 32 bytes. */
  readonly hash: Buffer;
  /** Database roles that whoever has it logs in with, beside one of the token's own name. */
  readonly databaseRoles: readonly string[];
  /** When it stops to be good, in ISO 8601 and UTC, or null for never. */
  readonly expiresAt: string | null;
}

export function isExpired({ expiresAt }: Token, now: number): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= now;
}

export function hasRight({ role }: Caller, right: Right): boolean {
  return rightsOf[role].includes(right);
}

/** Everything that the caller's role allows. */
export function rightsOfCaller({ role }: Caller): readonly Right[] {
  return rightsOf[role];
}

/** Whether no session is there for it but those that were created with a token of its name. */
export function seesOwnOnly({ role }: Caller): boolean {
  // guard: an agent is told of no other sessions
  return role === 'agent';
}

/** Whether rows of tables are hidden from it that a database role which staged in the session may not read. */
export function seesReadableOnly(caller: Caller): boolean {
  // guard: authors are shown what may be read only
  return !hasRight(caller, 'review');
}

/** The database roles of all tokens of one name: they are one person's. */
export function databaseRolesOf(tokens: readonly Token[], { name }: Caller): string[] {
  // guard: configured roles are those of all tokens of the name
  return tokens.filter((token) => token.name === name).flatMap((token) => token.databaseRoles);
}

/** The roles that give a right, for messages. */
export function rolesWith(right: Right): readonly Role[] {
  return roles.filter((role) => rightsOf[role].includes(right));
}

export function isInScope({ projects }: Caller, projectId: string): boolean {
  return projects === null || projects.includes(projectId);
}
