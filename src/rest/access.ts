/** Access checks of requests: Host and Origin, a bearer token if tokens are configured, and a role with the required right. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import type { Database } from '../db/database.ts';
import { StageError } from '../errors.ts';
import type { Caller, Right, Token } from '../model/access.ts';
import { hasRight, isExpired, isInScope, rolesWith, seesOwnOnly } from '../model/access.ts';
import type { Session } from '../model/session.ts';
import { sessionNotFound } from '../staging/session-id.ts';
import { getSession } from '../staging/session-store.ts';
import type { Access } from './services.ts';

/** Probes and load balancers request these paths without a token. */
const openPaths: ReadonlySet<string> = new Set(['/health', '/livez', '/readyz']);

/** The caller if no token is required: everybody may do everything. */
const anybody: Caller = { name: null, role: 'operator', projects: null };

/**
 * Refuses requests that a browser sends for another site: unknown Host headers (DNS rebinding) and foreign Origin headers.
 * @throws StageError `forbidden`
 */
export function refuseForeignSites(access: Access): Middleware {
  return async (ctx, next) => {
    const host = ctx.req.headers.host ?? '';
    // guard: Host must be a name of ours
    if (access.hosts && !access.hosts.includes(hostName(host))) {
      throw new StageError(
        'forbidden',
        `this service does not answer to the name ${JSON.stringify(host)}`,
        {
          hint: 'Address it as 127.0.0.1 or localhost.',
        },
      );
    }
    const origin = ctx.get('origin');
    // guard: Origin must be ours
    if (origin !== '' && origin.replace(/^https?:\/\//, '') !== host) throw foreignSite(origin);
    // guard: pages of other sites are told by their browser
    if (/^(?:cross-site|same-site)$/.test(ctx.get('sec-fetch-site'))) throw foreignSite('');
    return next();
  };
}

function foreignSite(origin: string): StageError {
  return new StageError(
    'forbidden',
    `requests from the site ${JSON.stringify(origin)} are refused`,
    {
      hint: 'Call the service from a program, not from a page of another site.',
    },
  );
}

/** Returns the Host header without its port, in lower case; empty if it is malformed. */
function hostName(host: string): string {
  return /^(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d+)?$/i.exec(host)?.[1]?.toLowerCase() ?? '';
}

/**
 * Identifies the caller by one of the configured tokens, if there are any.
 * @throws StageError `unauthorized`
 */
export function demandToken({ tokens }: Access): Middleware {
  return async (ctx, next) => {
    const offered = /^Bearer +(\S+) *$/i.exec(ctx.get('authorization'))?.[1] ?? '';
    const findCaller = () => (tokens().length === 0 ? anybody : findToken(offered, tokens()));
    const caller = findCaller();
    if (caller !== null) {
      ctx.state['caller'] = caller;
      if (ctx.method === 'GET') endWhenRevoked(ctx, () => isSame(caller, findCaller()));
    }
    // guard: a token is demanded
    else if (!openPaths.has(ctx.path)) {
      throw new StageError('unauthorized', 'a token is required', {
        hint: 'Send the header Authorization: Bearer <token>; the command line takes it from STAGE_TOKEN.',
      });
    }
    return next();
  };
}

const lookEveryMs = 1_000;

/** Ends a pending or partly sent response once its token is revoked. Used for GET only: requests that change something complete. */
function endWhenRevoked({ res }: Context, isStillGood: () => boolean): void {
  const look = () => {
    // guard: a token that was revoked hears nothing more
    if (!isStillGood()) res.destroy();
  };
  const timer = setInterval(look, lookEveryMs).unref();
  res.once('close', () => clearInterval(timer));
}

function isSame(caller: Caller, now: Caller | null): boolean {
  const words = (each: Caller | null) => JSON.stringify([each?.name, each?.role, each?.projects]);
  return words(caller) === words(now);
}

/** Finds the token by comparing with every configured one, each in constant time. */
function findToken(offered: string, tokens: readonly Token[]): Caller | null {
  const hash = createHash('sha256').update(offered).digest();
  const matches = tokens.filter((token) => timingSafeEqual(hash, token.hash));
  // guard: a token is good until its time
  return matches.find((token) => !isExpired(token, Date.now())) ?? null;
}

/**
 * Returns the caller of a request that requires a right; null for open paths.
 * @throws StageError `forbidden`
 */
export function demandRight(ctx: Context, right: Right | null): Caller {
  const caller: Caller = ctx.state['caller'] ?? anybody;
  // guard: a role does what it has the right to
  if (right === null || hasRight(caller, right)) return caller;
  throw new StageError('forbidden', `a token of the role ${caller.role} does not allow this`, {
    hint: `It takes a token of the role ${rolesWith(right).join(' or ')}.`,
  });
}

/** Demands that the caller's token is valid for a project. @throws StageError `forbidden` */
export function demandProject(caller: Caller, projectId: string): void {
  // guard: a token creates and lists in its projects only
  if (isInScope(caller, projectId)) return;
  throw new StageError('forbidden', 'the token does not allow this project', {
    hint: `Its projects are: ${caller.projects?.join(', ')}.`,
  });
}

/** Checks whether a session was created or proposed with the caller's token. */
export function isAuthorOf({ name }: Caller, { createdAs, proposedAs }: Session): boolean {
  return name !== null && (name === createdAs || name === proposedAs);
}

/** Demands that an author's session was created with its own token. @throws StageError `forbidden` */
export function demandOwn({ role, name }: Caller, { createdAs }: Session): void {
  if (role !== 'author' || createdAs === name) return;
  throw new StageError('forbidden', 'the session was created with another token', {
    hint: 'An author deletes its own sessions; an operator deletes any.',
  });
}

/**
 * Demands that the caller may access a session.
 * @throws StageError `session_not_found` for a session outside the caller's projects, and for an agent also for sessions of others
 */
export async function demandSession(caller: Caller, db: Database, id: string): Promise<void> {
  // guard: a token reaches sessions of its projects only
  if (caller.projects === null && !seesOwnOnly(caller)) return;
  const { projectId, createdAs } = await getSession(db, id);
  const isForeign = seesOwnOnly(caller) && createdAs !== caller.name;
  // guard: an agent reaches its own sessions only
  if (isForeign || !isInScope(caller, projectId)) throw sessionNotFound(id);
}
