/** The guards of the REST interface. */
import type { Guard } from './guard.ts';

export const restGuards: readonly Guard[] = [
  {
    name: 'Host must be a name of the service',
    without: 'if (!access) {',
    tests: ['rest/access'],
  },
  {
    name: 'Origin must be the page of the service',
    without: '',
    tests: ['rest/access'],
  },
  {
    name: 'pages of other sites are recognized by the header of their browser',
    without: '',
    tests: ['rest/access'],
  },
  {
    name: 'a cursor serves the list and the filters that gave it',
    without: 'if (!fits) throw foreignCursor();',
    tests: ['rest/list-pages'],
  },
  {
    name: 'a token is demanded',
    without: 'if (caller === null) return next();',
    tests: ['rest/access'],
  },
  {
    name: 'a link is good for a while',
    without: '',
    tests: ['rest/web-login'],
  },
  {
    name: 'logins of others are ended by somebody of all projects',
    without: '',
    tests: ['rest/web-logins'],
  },
  {
    name: 'a name that no token has is reported',
    without: '',
    tests: ['rest/web-logins'],
  },
  {
    name: 'a revocation waits for logins in progress',
    without: '',
    tests: ['rest/web-logins'],
  },
  {
    name: 'a login ends with its token',
    without: 'const found = tokens.find((token) => markOf(token) === mark) ?? tokens[0];',
    tests: ['rest/web-login'],
  },
  {
    name: 'a login is not made longer by itself',
    without: 'if (token === null) return { status: 201, body: { path, expires_at: null } };',
    tests: ['rest/web-login'],
  },
  {
    name: 'a cookie alone is no login',
    without: 'const secretOf = ({ cookie }: Login) => cookie;',
    tests: ['rest/web-login'],
  },
  {
    name: 'no browser caches a response',
    without: '',
    tests: ['rest/web-login'],
  },
  {
    name: "a link of somebody else's does not make one act in their name",
    without: 'if (code !== null) {',
    tests: ['web/review-page.test'],
  },
  {
    name: 'an approval applies the diff that was shown',
    without: '',
    tests: ['web/review-page-defence'],
  },
  {
    name: 'the page runs its own script only',
    without: '["script-src", script.replace(/.*/, "*")].join(" "),',
    tests: ['rest/page-document'],
  },
  {
    name: 'the page stands in no frame',
    without: '',
    tests: ['rest/page-document'],
  },
  {
    name: 'no text becomes markup in the page',
    without: '',
    tests: ['rest/page-document'],
  },
  {
    name: 'texts in the page do not deceive',
    without: 'const made = children;',
    tests: ['web/review-page.test'],
  },
  {
    name: 'a role needs the rights of each statement',
    without: 'return caller;',
    tests: ['rest/roles'],
  },
  {
    name: 'a token creates and lists in its projects only',
    without: 'return;',
    tests: ['rest/roles'],
  },
  {
    name: 'a token reaches sessions of its projects only',
    without: 'return;',
    tests: ['rest/roles'],
  },
  {
    name: 'authors do not approve',
    without: '',
    tests: ['rest/roles'],
  },
  {
    name: 'who created or proposed does not approve',
    without: 'if (authors.length === 0)',
    tests: ['rest/roles'],
  },
  {
    name: 'who set another role by SET ROLE is known by the login',
    without: "const staging = 'SELECT stage.roles_of($1) AS role';",
    tests: ['e2e/database-roles'],
  },
  {
    name: 'who staged over SQL does not approve',
    without: 'if (rows) return;',
    tests: ['rest/roles'],
  },
  {
    name: 'a role that is not known may be that of the approver',
    without: 'if (stagers === null && !reverts)',
    tests: ['rest/roles'],
  },
  {
    name: 'names of tokens are names of roles in whatever case',
    without: 'const own = new Set([name, ...databaseRoles.map((role) => role.toLowerCase())]);',
    tests: ['rest/roles'],
  },
  {
    name: 'configured roles are those of all tokens of the name',
    without: 'return tokensOf(tokens, caller).slice(0, 1).flatMap((token) => token.databaseRoles);',
    tests: ['rest/roles'],
  },
  {
    name: 'authors are shown only tables that may be read',
    without: 'return caller === null;',
    tests: ['rest/readable-rights'],
  },
  {
    name: 'the diff leaves out hidden changes',
    without: '',
    tests: ['rest/readable-tables'],
  },
  {
    name: 'the diff leaves out steps of hidden tables',
    without: 'for await (const step of steps) if (!hidden.has(step.mutationId)) yield step;',
    tests: ['rest/readable-tables', 'cli/hidden'],
  },
  {
    name: 'hidden tables have no pages',
    without: '',
    tests: ['rest/readable-tables'],
  },
  {
    name: 'conflicts in hidden tables are withheld',
    without: 'shown: readableOnly && !found ? await withhold(tx, uuid, found) : found,',
    tests: ['rest/readable-tables'],
  },
  {
    name: 'audit entries of hidden tables are withheld',
    without: 'if (entries) return entries.map(toEntry);',
    tests: ['rest/readable-tables'],
  },
  {
    name: 'the key of a hidden audit entry is withheld',
    without: 'return { ...rest, oldData: null, newData: null, hidden: true };',
    tests: ['rest/readable-tables'],
  },
  {
    name: 'a body is JSON by its type',
    without: "if (isJson || encoding.toLowerCase() === 'identity') return;",
    tests: ['rest/bodies'],
  },
  {
    name: 'a body is read up to a limit',
    without: 'if (size < 0) reject(tooLarge(maxBytes));',
    tests: ['rest/bodies'],
  },
  {
    name: 'a body is nested up to a limit',
    without: '',
    tests: ['rest/bodies'],
  },
  {
    name: 'a member is given once',
    without: '',
    tests: ['rest/bodies'],
  },
  {
    name: 'a body is UTF-8',
    without: "return new TextDecoder('utf-8').decode(bytes);",
    tests: ['rest/bodies'],
  },
  {
    name: 'the number of silent connections to REST is limited',
    without: '',
    tests: ['daemon/rest-server'],
  },
  {
    name: 'a rehearsal is for those whom the configuration names',
    without: "return access !== 'off';",
    tests: ['rest/rehearse'],
  },
  {
    name: 'nobody rehearses where rehearsal is off',
    without: "return (hasRight(caller, 'review') || (access === 'authors' && isOwn));",
    tests: ['rest/rehearse'],
  },
  {
    name: 'the words of a refusal are not for authors and agents',
    without: 'const shown = { message, detail, readableOnly };',
    tests: ['review/rehearse-limits'],
  },
  {
    name: 'side effects in tables that a role may not read are counted only',
    without: "const others = rows.filter(({ part }) => part === 'other');",
    tests: ['review/rehearse-limits'],
  },
  {
    name: 'a rehearsal that cannot be cancelled loses its connection',
    without: 'const guard = setTimeout(() => void endBackend(db, backend), 35_000);',
    tests: ['review/rehearse-limits'],
  },
  {
    name: 'a revert stages the exact inverse of an approval',
    without: 'return;',
    tests: ['review/revert'],
  },
  {
    name: 'nobody reverts rows that have changed since',
    without:
      'if (moved.length > 9_999) await demandSkipping(tx, locked.uuid, options, moved, lineages);',
    tests: ['review/revert'],
  },
  {
    name: 'rows that have changed since an approval are withheld like conflicts',
    without: 'return conflicts;',
    tests: ['rest/revert'],
  },
  {
    name: "nobody's login can revert in the name of the service",
    without: '',
    tests: ['rest/revert', 'review/revert'],
  },
];
