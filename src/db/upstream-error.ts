/** Converts errors of the upstream server, or of the way to it, into errors for the user. They do not concern the request itself. */
import pg from 'pg';
import { StageError } from '../errors.ts';

interface Trouble {
  /** Matches SQLSTATEs by their first characters. */
  readonly states: RegExp;
  readonly message: string;
  readonly hint: string;
  /** A stable identifier of the condition, for programs. */
  readonly reason?: string;
}

const tryAgain = 'Nothing is lost: try again in a moment.';

const unreachable: Trouble = {
  states: /^(08|57P0|25P0[34])/,
  message: 'the upstream database cannot be reached',
  hint: 'Check that PostgreSQL is running and that the upstream URL is right; the service keeps trying.',
};

const troubles: readonly Trouble[] = [
  {
    states: /^08P01/,
    message: 'what answers as upstream does not speak as PostgreSQL does',
    hint: 'Give the address of PostgreSQL itself as upstream: a pooler between refuses the settings of connections.',
    reason: 'pooler',
  },
  unreachable,
  {
    states: /^28/,
    message: 'the upstream database refuses the service account',
    hint: 'Check user and password of the upstream URL; sessions and their staged rows are retained.',
    reason: 'login_refused',
  },
  {
    states: /^53300/,
    message: 'the upstream database has no connection left',
    hint: 'All connections of the server are taken: end some, or raise its max_connections.',
  },
  {
    states: /^53200/,
    message: 'the upstream database has no memory left for it',
    hint: `Where it says "out of shared memory", raise its max_locks_per_transaction: a review locks every table of its session. ${tryAgain}`,
  },
  {
    states: /^53/,
    message: 'the upstream database lacks connections, memory or disk space',
    hint: `Give it what it lacks. ${tryAgain}`,
  },
  {
    states: /^57/,
    message: 'the upstream database ended the statement before it was done',
    hint: `It was cancelled, or took too long. ${tryAgain}`,
  },
  {
    states: /^58/,
    message: 'the upstream database met an error of its system',
    hint: `The log of PostgreSQL has more. ${tryAgain}`,
  },
];

/** Returns the error for a SQLSTATE that concerns the server, not the statement; null for any other. */
export function upstreamTrouble(
  sqlstate: string,
  message: string,
  cause?: unknown,
): StageError | null {
  const trouble = troubles.find(({ states }) => states.test(sqlstate));
  return trouble === undefined ? null : unavailable(trouble, message, cause);
}

const closed: Trouble = {
  states: /^55000/,
  message: 'the upstream database takes no connections',
  hint: `ALTER DATABASE ... ALLOW_CONNECTIONS true lets them in again. ${tryAgain}`,
};

/** Converts an error of connecting into one for the user, if its SQLSTATE means something else for a statement. */
export function explainConnecting(error: unknown): unknown {
  const isClosed = error instanceof pg.DatabaseError && closed.states.test(error.code ?? '');
  return isClosed ? unavailable(closed, error.message, error) : error;
}

/** Converts an error of a connection into one for the user, if it concerns the server or the way to it. */
export function explainTrouble(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof StageError) return error;
  const { message } = error;
  if (error instanceof pg.DatabaseError)
    return upstreamTrouble(error.code ?? '', message, error) ?? error;
  const { code } = error as NodeJS.ErrnoException;
  const isLost =
    code === undefined
      ? /timeout|terminated|Connection|connection was lost/i.test(message)
      : /^E[A-Z_]+$/.test(code);
  return isLost ? unavailable(unreachable, message, error) : error;
}

/** Checks whether an error leaves open whether the statement took effect. */
export function isTrouble(error: unknown): boolean {
  return error !== explainTrouble(error);
}

function unavailable(
  { message, hint, reason }: Trouble,
  consequence: string,
  cause: unknown,
): StageError {
  return new StageError('upstream_unavailable', `${message}: ${consequence}`, {
    hint,
    ...(reason === undefined ? {} : { facts: { reason } }),
    cause,
  });
}
