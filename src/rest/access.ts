/** Who may talk to us: the right Host, no foreign Origin, a bearer token where tokens are configured. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Middleware } from 'koa';
import { StageError } from '../errors.ts';
import type { Access } from './services.ts';

/** Probes and load balancers ask these without a token. */
const openPaths: ReadonlySet<string> = new Set(['/health', '/livez', '/readyz']);

/**
 * Refuses what a browser sends on behalf of another site: a Host we do not go by (DNS rebinding), an Origin that is not ours.
 * @throws StageError `forbidden`
 */
export function refuseForeignSites(access: Access): Middleware {
  return async (ctx, next) => {
    const host = ctx.req.headers.host ?? '';
    if (access.hosts && !access.hosts.includes(hostName(host))) {
      throw new StageError(
        'forbidden',
        `this service does not go by the name ${JSON.stringify(host)}`,
        {
          hint: 'Address it as 127.0.0.1 or localhost.',
        },
      );
    }
    const origin = ctx.get('origin');
    if (origin !== '' && origin.replace(/^https?:\/\//, '') !== host) {
      throw new StageError(
        'forbidden',
        `requests from the site ${JSON.stringify(origin)} are not taken`,
        {
          hint: 'Call the service from a program, not from a page of another site.',
        },
      );
    }
    return next();
  };
}

/** The Host header without its port, in lower case; empty when it is not of that form. */
function hostName(host: string): string {
  return /^(\[[0-9a-f:.]+\]|[\w.-]+)(?::\d+)?$/i.exec(host)?.[1]?.toLowerCase() ?? '';
}

/**
 * Demands one of the configured tokens, when there are any.
 * @throws StageError `unauthorized`
 */
export function demandToken(access: Access): Middleware {
  const known = access.tokens.map((token) => digest(token));
  return async (ctx, next) => {
    const offered = /^Bearer +(\S+) *$/i.exec(ctx.get('authorization'))?.[1] ?? '';
    if (known.length > 0 && !openPaths.has(ctx.path) && !isKnown(digest(offered), known)) {
      throw new StageError('unauthorized', 'this service wants a token', {
        hint: 'Send the header Authorization: Bearer <token>; the command line takes it from STAGE_TOKEN.',
      });
    }
    return next();
  };
}

/** Compares with every token, in constant time. */
function isKnown(offered: Buffer, known: readonly Buffer[]): boolean {
  return known.map((token) => timingSafeEqual(offered, token)).includes(true);
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
