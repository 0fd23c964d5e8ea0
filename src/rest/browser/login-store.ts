/** Logins of the review page: one-time links and browsers. Each one stands for a token, and ends with it. */
import { createHash, randomBytes } from 'node:crypto';
import type { Database, Queryable } from '../../db/database.ts';
import type { Token } from '../../model/access.ts';
import { isExpired } from '../../model/access.ts';
import type { PageLogin } from '../../model/login.ts';
import { markOf } from '../token-uses.ts';
import type { Login } from './cookie.ts';

const linkSeconds = 15 * 60;
export const browserSeconds = 8 * 3600;

const dropExpired = 'DELETE FROM stage.login WHERE expires_at <= now()';

const insertLogin = `
INSERT INTO stage.login (hash, kind, token, expires_at)
VALUES (decode($1, 'hex'), $2, decode($3, 'hex'), now() + make_interval(secs => $4))
RETURNING stage.iso_time(expires_at) AS expires_at`;

const useLink = `
DELETE FROM stage.login WHERE hash = decode($1, 'hex') AND kind = 'link'
-- guard: a link is good for a while
AND expires_at > now()
RETURNING encode(token, 'hex') AS token`;

const selectBrowser = `
SELECT encode(token, 'hex') AS token FROM stage.login
WHERE hash = decode($1, 'hex') AND kind = 'browser' AND expires_at > now()`;

const deleteBrowser = `DELETE FROM stage.login WHERE hash = decode($1, 'hex') AND kind = 'browser'`;

const selectLogins = `
SELECT encode(token, 'hex') AS token, kind, stage.iso_time(expires_at) AS expires_at
FROM stage.login WHERE expires_at > now() ORDER BY stage.login.expires_at`;

const deleteLogins = `
DELETE FROM stage.login
WHERE encode(token, 'hex') IN (SELECT jsonb_array_elements_text($1::jsonb)) RETURNING kind`;

const digest = (secret: string) => createHash('sha256').update(secret).digest('hex');

// guard: a cookie alone is no login
const secretOf = ({ cookie, key }: Login) => `${cookie}.${key}`;

const newSecret = () => randomBytes(32).toString('base64url');

/** A link's code, with its expiry. */
export interface Link {
  readonly code: string;
  readonly expiresAt: string;
}

/** A browser's login, with its token and its expiry. */
export interface LoggedIn {
  readonly login: Login;
  readonly token: Token;
  readonly expiresAt: string;
}

/** Creates a link that logs one browser in, once. */
export async function issueLink(db: Queryable, token: Token): Promise<Link> {
  await db.query(dropExpired);
  const code = newSecret();
  return { code, expiresAt: await insertSecret(db, code, 'link', token) };
}

/** Uses a link up. Returns the new login with its token; null if the link is not valid. */
export async function logIn(
  db: Database,
  code: string,
  tokens: readonly Token[],
): Promise<LoggedIn | null> {
  return db.transaction(async (tx) => {
    const [used] = await tx.query(useLink, [digest(code)]);
    const token = findMarked(tokens, used?.['token']);
    if (token === null) return null;
    const login = { cookie: newSecret(), key: newSecret() };
    return { login, token, expiresAt: await insertSecret(tx, secretOf(login), 'browser', token) };
  });
}

/** Returns the token of a browser's login; null if the login or its token is not valid. */
export async function findLogin(
  db: Queryable,
  login: Login,
  tokens: readonly Token[],
): Promise<Token | null> {
  const [known] = await db.query(selectBrowser, [digest(secretOf(login))]);
  return findMarked(tokens, known?.['token']);
}

/** Ends a browser's login. */
export async function logOut(db: Queryable, login: Login): Promise<void> {
  await db.query(deleteBrowser, [digest(secretOf(login))]);
}

/** Returns the valid logins of tokens, by name. */
export async function listLogins(db: Queryable, tokens: readonly Token[]): Promise<PageLogin[]> {
  const logins = (await db.query(selectLogins)).flatMap((row) => {
    const token = findMarked(tokens, row['token']);
    if (token === null) return [];
    const kind = row['kind'] as PageLogin['kind'];
    return [{ name: token.name, kind, expiresAt: String(row['expires_at']) }];
  });
  return logins.sort((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)));
}

/** Ends all logins of a name, and the links that nobody has used. Returns their number. */
export async function revokeLogins(
  db: Database,
  name: string,
  tokens: readonly Token[],
): Promise<number> {
  const marks = tokens.filter((token) => token.name === name).map(markOf);
  return db.transaction(async (tx) => {
    // guard: a revocation waits for logins in progress
    await tx.query('LOCK TABLE stage.login IN SHARE ROW EXCLUSIVE MODE');
    return (await tx.query(deleteLogins, [JSON.stringify(marks)])).length;
  });
}

async function insertSecret(
  db: Queryable,
  secret: string,
  kind: 'link' | 'browser',
  token: Token,
): Promise<string> {
  const seconds = kind === 'link' ? linkSeconds : browserSeconds;
  const [row] = await db.query(insertLogin, [digest(secret), kind, markOf(token), seconds]);
  return String(row?.['expires_at']);
}

function findMarked(tokens: readonly Token[], mark: unknown): Token | null {
  // guard: a login ends with its token
  const found = tokens.find((token) => markOf(token) === mark);
  return found === undefined || isExpired(found, Date.now()) ? null : found;
}
