/**
 * The tokens of the REST API: from the environment, or from a file that nobody else can read. A line of the file is
 * `<name> <role>[:<project>,...] [database_roles=<role>,...] [expires=<moment>] sha256:<hash>`, or a token as it is, which is an operator's.
 */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { StageError } from '../errors.ts';
import type { Role, Token } from '../model/access.ts';
import { roles } from '../model/access.ts';
import type { Settings } from './schema.ts';

export interface Tokens {
  /** What the REST API accepts. */
  readonly accepted: readonly Token[];
  /** What the commands show: the first one that is known as it is. */
  readonly own: string | null;
}

/** Whoever shows a token without a name of its own. */
const unnamed = 'operator';

/**
 * Reads all tokens, the one set directly first.
 * @throws StageError `configuration_invalid` when the file cannot be read or understood, or others could read or write it
 */
export function readTokens({ token, tokenFile }: Settings): Tokens {
  const lines = tokenFile === null ? [] : entriesOf(readTokenText(tokenFile));
  const plain = [token, ...lines.map((line) => (line.includes(' ') ? null : line))];
  const own = plain.find((each) => each !== null) ?? null;
  const direct = token === null ? [] : [plainToken(token)];
  return { accepted: [...direct, ...lines.map((line) => readToken(line, tokenFile ?? ''))], own };
}

/**
 * Reads a line of the file.
 * @throws StageError `configuration_invalid`
 */
export function readToken(line: string, path: string): Token {
  if (!line.includes(' ')) return plainToken(line);
  const form =
    /^(?<name>[\w.@-]{1,64}) +(?<role>[a-z]+)(?::(?<projects>[^\s,]+(?:,[^\s,]+)*))?(?: +database_roles=(?<databaseRoles>[^\s,]+(?:,[^\s,]+)*))?(?: +expires=(?<expires>\S+))? +sha256:(?<hash>[0-9a-f]{64})$/;
  const { name, role, projects, databaseRoles, expires, hash } = form.exec(line)?.groups ?? {};
  if (name === undefined || hash === undefined || !isRole(role)) throw misunderstood(line, path);
  if (expires !== undefined && !isMoment(expires)) throw misunderstood(line, path);
  return {
    name,
    role,
    projects: projects === undefined ? null : projects.split(','),
    hash: Buffer.from(hash, 'hex'),
    databaseRoles: databaseRoles?.split(',') ?? [],
    expiresAt: expires ?? null,
  };
}

/** A moment in UTC, to the second: no other form can be taken for another zone's. */
function isMoment(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().replace('.000Z', 'Z') === text;
}

function plainToken(token: string): Token {
  const hash = createHash('sha256').update(token).digest();
  return {
    name: unnamed,
    role: 'operator',
    projects: null,
    hash,
    databaseRoles: [],
    expiresAt: null,
  };
}

function isRole(text: string | undefined): text is Role {
  return roles.some((role) => role === text);
}

/** Only the first word is repeated, and only where it is a name: a token stands alone on its line. */
function misunderstood(line: string, path: string): StageError {
  const [name = ''] = line.split(' ', 1);
  return new StageError(
    'configuration_invalid',
    `the token file ${path} has a line for ${JSON.stringify(name)} that cannot be read`,
    {
      hint: `Write: <name> <role>[:<project>,...] [database_roles=<role>,...] [expires=<year>-<month>-<day>T<hour>:<minute>:<second>Z] sha256:<64 hexadecimal digits>, the first role one of ${roles.join(', ')}.`,
    },
  );
}

/**
 * Reads the text of a token file; looks at the rights of the very file that it then reads.
 * @throws StageError `configuration_invalid` when it cannot be read, or others could read or write it
 */
export function readTokenText(path: string): string {
  const file = open(path);
  try {
    if ((fstatSync(file).mode & 0o077) === 0) return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
  throw new StageError('configuration_invalid', `the token file ${path} is open to others`, {
    hint: `Make it yours alone: chmod 600 ${path}`,
  });
}

function open(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    throw new StageError(
      'configuration_invalid',
      `the token file ${path} cannot be read: ${(cause as Error).message}`,
      {
        hint: 'Correct `token_file` (--token-file, STAGE_TOKEN_FILE).',
        cause,
      },
    );
  }
}

function entriesOf(text: string): string[] {
  return text
    .split('\n')
    .map(entryOf)
    .filter((line) => line !== '');
}

/** Gives what a line of the file says; empty for one without a token. */
export function entryOf(line: string): string {
  const words = line.trim().replace(/\s+/g, ' ');
  return words.startsWith('#') ? '' : words;
}
