/** Access checks of requests: Host and Origin, and a role with the required right. */
import type { Context, Middleware } from 'koa';
import type { Database } from '../db/database.ts';
import { StageError } from '../errors.ts';
import type { Caller, Right } from '../model/access.ts';
import { hasRight, isInScope, rolesWith, seesOwnOnly } from '../model/access.ts';
import type { Session } from '../model/session.ts';
import { sessionNotFound } from '../staging/session-id.ts';
import { getSession } from '../staging/session-store.ts';
import { isPagePath } from './browser/serve-page.ts';
import type { Access } from './services.ts';

/** The caller if no token is required: everybody may do everything. */
export const anybody: Caller = { name: null, role: 'operator', projects: null };

/**
 * Refuses requests that a browser sends for another site: unknown Host headers (DNS rebinding) and foreign Origin headers.
 * @throws StageError `forbidden`
 */
export function refuseForeignSites(access: Access): Middleware {
  return async (ctx, next) => {
    const host = ctx.req.headers.host ?? '';
    // guard: Host must be a name of the service
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
    // guard: Origin must be the page of the service
    if (origin !== '' && origin.replace(/^https?:\/\//, '') !== host) throw foreignSite(origin);
    // guard: pages of other sites are recognized by the header of their browser
    if (/^(?:cross-site|same-site)$/.test(ctx.get('sec-fetch-site')) && !isVisit(ctx))
      throw foreignSite('');
    return next();
  };
}

/** Returns whether a link is followed to the review page: its documents hold no data, and are the same for everybody. */
function isVisit(ctx: Context): boolean {
  const isDocument =
    ctx.get('sec-fetch-mode') === 'navigate' && ctx.get('sec-fetch-dest') === 'document';
  return ctx.method === 'GET' && isDocument && isPagePath(ctx.path);
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
 * Returns the caller of a request.
 * @param right the right that the request requires; null for open paths
 * @throws StageError `forbidden`
 */
export function demandRight(ctx: Context, right: Right | null): Caller {
  const caller: Caller = ctx.state['caller'] ?? anybody;
  // guard: a role needs the rights of each statement
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
