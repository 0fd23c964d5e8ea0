/** Explains errors of PostgreSQL that the operator of the service or of the database can resolve. */
import { StageError } from '../errors.ts';
import { sqlstateOf } from '../staging/session-lock.ts';

/** Lock not available, serialization failure, deadlock: the same request may succeed a moment later. */
const busyStates = new Set(['55P03', '40001', '40P01']);

/**
 * Returns the error for the user, or null for any other error.
 * @param given parameters and members of the request
 */
export function explainRefusal(
  cause: unknown,
  given: Readonly<Record<string, unknown>>,
): StageError | null {
  const sqlstate = sqlstateOf(cause);
  if (sqlstate === undefined) return null;
  const { message } = cause as Error;
  const facts = { sqlstate };
  if (sqlstate === '42501') {
    return new StageError('forbidden', `the service account lacks a right: ${message}`, {
      hint: 'Grant it to the service account, then try again: `stage doctor` lists what it lacks.',
      facts,
      cause,
    });
  }
  if (sqlstate === '22P05') return explainEncoding(cause as Error, given);
  if (!busyStates.has(sqlstate)) return null;
  return new StageError('busy', `the database is in use: ${message}`, {
    hint: 'Nothing was changed. Others hold what is needed: try again in a moment.',
    facts,
    cause,
  });
}

/** PostgreSQL's message for a character that the encoding of the database lacks, with its UTF-8 bytes. */
const lacking =
  /byte sequence ((?:0x[0-9a-f]{2} ?)+) in encoding "UTF8" has no equivalent in encoding "(\w+)"/;

/** Returns the error for a text that the database cannot store, with the member of the request that contains it, if one does. */
function explainEncoding(
  cause: Error,
  given: Readonly<Record<string, unknown>>,
): StageError | null {
  const [, bytes, encoding] = lacking.exec(cause.message) ?? [];
  if (bytes === undefined) return null;
  const character = Buffer.from(bytes.replaceAll(/0x| /g, ''), 'hex').toString();
  const member = Object.keys(given).find((name) => JSON.stringify(given[name]).includes(character));
  const hint = `Write it without this character: the database keeps text in ${encoding}.`;
  const message = `the encoding of the database lacks the character ${character}`;
  return new StageError(
    'invalid_request',
    member === undefined ? message : `${member}: ${message}`,
    {
      hint,
      facts: { sqlstate: '22P05' },
      cause,
    },
  );
}
