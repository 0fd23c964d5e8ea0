/** Login and logout of browsers, with one-time links. */
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { StageError } from '../../errors.ts';
import type { Token } from '../../model/access.ts';
import { isSessionId } from '../../model/session.ts';
import { nearest } from '../../nearest.ts';
import { demandSession } from '../access.ts';
import { loginBody } from '../bodies.ts';
import { keyHeader, loginCookie, loginIn } from '../browser/cookie.ts';
import {
  browserSeconds,
  issueLink,
  listLogins,
  logIn,
  logOut,
  revokeLogins,
} from '../browser/login-store.ts';
import { pageOff } from '../browser/serve-page.ts';
import { defineRoute } from '../route.ts';
import { shortText } from '../schemas/inputs.ts';
import { loggedIn, loggedOut, loginList, reviewLink, revokedLogins } from '../schemas/web.ts';
import type { RouteServices } from '../services.ts';

const makeLink = defineRoute({
  method: 'post',
  path: '/web/links',
  name: 'makeReviewLink',
  summary:
    'Makes a link to the review page that logs one browser in, once, as whoever asks for it; without a login, if login is false. It takes a token: a browser that is logged in makes none.',
  right: 'read',
  body: z.strictObject({ session_id: shortText.nullish(), login: z.boolean().nullish() }),
  responses: { 201: reviewLink },
  errors: ['session_not_found', 'not_found'],
  needsUpstream: true,
  isOpenTo: (_, { web }) => web !== null,
  handle: async ({ body, caller, token }, { db, web, access }) => {
    if (web === null) throw pageOff();
    const id = body.session_id ?? null;
    if (id !== null && !isSessionId(id))
      throw new StageError('session_not_found', `there is no session ${id}`);
    if (id !== null) await demandSession(caller, db, id);
    const path = id === null ? '/review' : `/review/${id}`;
    if (access.tokens().length === 0 || body.login === false)
      return { status: 201, body: { path, expires_at: null } };
    // guard: a login is not made longer by itself
    if (token === null) throw needsToken();
    const { code, expiresAt } = await issueLink(db, token);
    return { status: 201, body: { path: `${path}#code=${code}`, expires_at: expiresAt } };
  },
});

function needsToken(): StageError {
  return new StageError('forbidden', 'a browser makes no links', {
    hint: 'Make one with your token: stage review-link.',
  });
}

const enter = defineRoute({
  method: 'post',
  path: '/web/login',
  name: 'logIn',
  summary:
    'Uses a link up. The browser is known from then on by the cookie that is set together with the key that is answered, as the header Stage-Key.',
  right: null,
  headers: z.object({ origin: z.string().optional() }),
  body: z.strictObject({ code: shortText }),
  responses: { 200: loggedIn },
  errors: ['unauthorized', 'not_found'],
  needsUpstream: true,
  handle: async ({ body, headers }, { db, web, access }) => {
    if (web === null) throw pageOff();
    const entered = await logIn(db, body.code, access.tokens());
    if (entered === null)
      throw new StageError('unauthorized', 'the link was used already, or is too old', {
        hint: 'Make another one: stage review-link.',
      });
    const { login, token, expiresAt } = entered;
    const cookie = loginCookie(login.cookie, browserSeconds, isOverTls(headers, web));
    return {
      headers: { 'Set-Cookie': cookie },
      body: { name: token.name, key: login.key, expires_at: expiresAt },
    };
  },
});

/** Returns whether the browser connects over TLS: to this service, or to a proxy in front of it, according to the Origin header. */
function isOverTls({ origin = '' }: IncomingHttpHeaders, { secure }: { secure: boolean }): boolean {
  return secure || origin.startsWith('https://');
}

const leave = defineRoute({
  method: 'post',
  path: '/web/logout',
  name: 'logOut',
  summary: 'Ends the login of the browser that asks.',
  right: null,
  headers: z.object({
    cookie: z.string().optional(),
    [keyHeader]: z.string().optional(),
    origin: z.string().optional(),
  }),
  responses: { 200: loggedOut },
  errors: ['not_found'],
  needsUpstream: true,
  handle: async ({ headers }, { db, web }: RouteServices) => {
    if (web === null) throw pageOff();
    const login = loginIn(headers, web.secure);
    if (login !== null) await logOut(db, login);
    return {
      headers: { 'Set-Cookie': loginCookie('', 0, isOverTls(headers, web)) },
      body: { status: 'logged_out' },
    };
  },
});

const showLogins = defineRoute({
  method: 'get',
  path: '/web/logins',
  name: 'listLogins',
  summary: 'The logins of the review page: browsers, and links that nobody has used.',
  right: 'operate',
  responses: { 200: loginList },
  errors: [],
  needsUpstream: true,
  handle: async (_, { db, access }) => {
    const logins = await listLogins(db, access.tokens());
    return { body: { logins: logins.map(loginBody) } };
  },
});

const endLogins = defineRoute({
  method: 'post',
  path: '/web/logins/revoke',
  name: 'revokeLogins',
  summary:
    'Ends the logins of the tokens of a name that this daemon knows, at all daemons of the database. The tokens stay: revoke these where they are kept.',
  right: 'operate',
  body: z.strictObject({ name: shortText }),
  responses: { 200: revokedLogins },
  errors: ['not_found'],
  needsUpstream: true,
  handle: async ({ body: { name }, caller }, { db, access }) => {
    // guard: logins of others are ended by somebody of all projects
    if (caller.projects !== null && name !== caller.name) throw notForOthers();
    const tokens = access.tokens();
    // guard: a name that no token has is reported
    if (!tokens.some((token) => token.name === name)) throw noSuchName(name, tokens);
    return { body: { name, revoked: await revokeLogins(db, name, tokens) } };
  },
});

function notForOthers(): StageError {
  return new StageError('forbidden', 'logins are for all projects, and the token is not', {
    hint: 'To end logins of others takes a token of the role operator without projects.',
  });
}

function noSuchName(name: string, tokens: readonly Token[]): StageError {
  const names = [...new Set(tokens.map((token) => token.name))];
  const meant = nearest(name, names);
  return new StageError('not_found', `this daemon knows no token of the name ${name}`, {
    hint: `${meant === null ? '' : `Did you mean ${meant}? `}See \`stage login list\` and \`stage token list\`.`,
  });
}

export const webRoutes = [makeLink, enter, leave, showLogins, endLogins];
