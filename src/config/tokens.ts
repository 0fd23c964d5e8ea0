/**
 * Reads the tokens of the REST API, from the environment or from a file that nobody else can read. A line of the file is
 * `<name> <role>[:<project>,...] [database_roles=<role>,...] [expires=<moment>] sha256:<hash>`, or the plain token of an operator.
 */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { StageError } from '../errors.ts';
import type { Role, Token } from '../model/access.ts';
import { roles } from '../model/access.ts';
import type { Settings } from './schema.ts';

export interface Tokens {
  /** The tokens that the REST API accepts. */
  readonly accepted: readonly Token[];
  /** The token that the commands send: the first plain one. */
  readonly own: string | null;
}

/** The name of a plain token. */
const unnamed = 'operator';

/**
 * Reads all tokens, the one set directly first.
 * @throws StageError `configuration_invalid` if the file cannot be read or parsed, or others could read or write it
 */
export function readTokens({ token, tokenFile }: Settings): Tokens {
  const lines = tokenFile === null ? [] : entriesOf(readTokenText(tokenFile));
  const plain = [token, ...lines.map((line) => (line.includes(' ') ? null : line))];
  const own = plain.find((each) => each !== null) ?? null;
  const direct = token === null ? [] : [plainToken(token)];
  return { accepted: [...direct, ...lines.map((line) => readToken(line, tokenFile ?? ''))], own };
}

/**
 * Parses a line of the file.
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

/** Checks for a time in UTC, with seconds: other forms could be mistaken for another time zone. */
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

/** Repeats only the first word of a line. That is a name: lines with a plain token have only one word, and are always valid. */
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
 * Reads the text of a token file. Checks the mode on the same open file that it reads.
 * @throws StageError `configuration_invalid` if it cannot be read, or others could read or write it
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

/** Returns the entry on a line of the file; empty if the line has no token. */
export function entryOf(line: string): string {
  const words = line.trim().replace(/\s+/g, ' ');
  return words.startsWith('#') ? '' : words;
}
