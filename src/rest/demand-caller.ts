/** Identifies callers: by a bearer token or by a browser's login, if tokens are configured. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { StageError } from '../errors.ts';
import type { Caller, Token } from '../model/access.ts';
import { isExpired } from '../model/access.ts';
import { anybody } from './access.ts';
import type { Login } from './browser/cookie.ts';
import { loginIn } from './browser/cookie.ts';
import { findLogin } from './browser/login-store.ts';
import type { RestServices } from './services.ts';
import { createUseNotes } from './token-uses.ts';

/** Probes and load balancers request these paths without a token; browsers log in and out on them. */
const openPaths: ReadonlySet<string> = new Set([
  ...['/health', '/livez', '/readyz'],
  ...['/web/login', '/web/logout'],
]);

/** How often a pending response checks its caller: a token in memory, a login in the database. */
const checkIntervalMs = { token: 1_000, login: 3_000 };

type Services = Pick<RestServices, 'access' | 'web' | 'reading' | 'deciding' | 'upstream' | 'log'>;

/** Demands a caller for each request. @throws StageError `unauthorized` */
export function demandCaller(services: Services): Middleware {
  const noteUse = createUseNotes(services);
  return async (ctx, next) => {
    if (openPaths.has(ctx.path)) return next();
    const login = ctx.get('authorization') === '' ? loginOf(ctx, services) : null;
    const find = () => findCaller(ctx, login, services);
    const caller = await find();
    // guard: a token is demanded
    if (caller === null) throw noToken();
    ctx.state['caller'] = caller;
    if ('hash' in caller) noteUse(caller);
    if (login === null && 'hash' in caller) ctx.state['token'] = caller;
    const everyMs = checkIntervalMs[login === null ? 'token' : 'login'];
    if (ctx.method === 'GET')
      endWhenRevoked(ctx, everyMs, async () => isSame(caller, await find()));
    return next();
  };
}

async function findCaller(
  ctx: Context,
  login: Login | null,
  { access, reading }: Pick<Services, 'access' | 'reading'>,
): Promise<Caller | Token | null> {
  const tokens = access.tokens();
  if (tokens.length === 0) return anybody;
  if (login !== null) return findLogin(reading, login, tokens);
  return findToken(bearerOf(ctx), tokens);
}

const bearerOf = (ctx: Context) => /^Bearer +(\S+) *$/i.exec(ctx.get('authorization'))?.[1] ?? '';

function loginOf(ctx: Context, { web }: Pick<Services, 'web'>): Login | null {
  return web && loginIn(ctx.headers, web.secure);
}

function noToken(): StageError {
  return new StageError('unauthorized', 'a token is required', {
    hint: 'Send the header Authorization: Bearer <token>; the command line takes it from STAGE_TOKEN.',
  });
}

/** Ends a pending or partly sent response once its caller is revoked. Used for GET only: requests that change something complete. */
function endWhenRevoked(
  { res }: Context,
  everyMs: number,
  isStillGood: () => Promise<boolean>,
): void {
  const check = async () => {
    // guard: a token that was revoked hears nothing more
    if (!(await isStillGood())) res.destroy();
  };
  // while the database is unavailable, the response ends without further writes
  const timer = setInterval(() => void check().catch(() => undefined), everyMs).unref();
  res.once('close', () => clearInterval(timer));
}

function isSame(caller: Caller, now: Caller | null): boolean {
  const words = (each: Caller | null) => JSON.stringify([each?.name, each?.role, each?.projects]);
  return words(caller) === words(now);
}

/** Finds the token by comparing with every configured one, each in constant time. */
function findToken(offered: string, tokens: readonly Token[]): Token | null {
  const hash = createHash('sha256').update(offered).digest();
  const matches = tokens.filter((token) => timingSafeEqual(hash, token.hash));
  // guard: a token is good until its time
  return matches.find((token) => !isExpired(token, Date.now())) ?? null;
}
