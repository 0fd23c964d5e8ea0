/** Determines the session of a command. */
import { allSessions } from '../../client/all-sessions.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { sanitize } from '../../client/sanitize.ts';
import { StageError } from '../../errors.ts';
import type { Session, SessionStatus } from '../../model/session.ts';
import { isSessionId } from '../../model/session.ts';
import type { Connection, Context } from '../context.ts';
import type { Host } from '../host.ts';
import { rememberedSession } from '../remembered-session.ts';
import type { ClientSettings } from '../settings.ts';

/** The states for commands that only read: they accept the only proposed session when no session is active. */
export const openStates = ['active', 'proposed'] as const;

/**
 * Returns the id of a command's session: the argument, --session, STAGE_SESSION, the one chosen in this directory,
 * or else the only session in the first of the given states that has any.
 * @throws StageError `session_not_found` if there is none, `usage` if there are several
 */
export async function resolveSession(
  context: Context,
  { api, settings }: Connection,
  argument: string | undefined,
  states: readonly SessionStatus[] = ['active'],
): Promise<string> {
  const given = argument ?? (await chosenSession(context.host, settings));
  if (given === null) return onlySession(api, states);
  if (isSessionId(given)) return given;
  if (context.out.terminal || shortestInScripts.test(given)) return completePrefix(api, given);
  if (/^sess_[0-9a-f]+$/.test(given)) throw tooShort(given);
  return given;
}

/** Returns the session that is configured for several commands; null if there is none. */
export async function chosenSession(
  host: Host,
  { server, session, usualSession }: ClientSettings,
): Promise<string | null> {
  return session ?? (await rememberedSession(host, server)) ?? usualSession();
}

async function onlySession(api: ApiClient, states: readonly SessionStatus[]): Promise<string> {
  for (const status of states) {
    const { items, totalCount } = (await api.listSessions({ status, limit: 10 })).value;
    const [only] = items;
    if (only && totalCount === 1) return only.id;
    if (only)
      throw several(`there are ${totalCount} ${status} sessions; say which one you mean`, items);
  }
  throw new StageError('session_not_found', `there is no ${states.join(' or ')} session`, {
    hint: 'Create one with `stage session new`, or name one: `stage session list` shows them all.',
  });
}

/** The prefixes that scripts may use: at least as long as the short ids that people are shown. */
const shortestInScripts = /^sess_[0-9a-f]{8,}$/;

/** Refuses a short prefix in a script: scripts run again, and a prefix that is unique today can match another session tomorrow. */
function tooShort(prefix: string): StageError {
  return new StageError('session_not_found', `${prefix} is too short for a script`, {
    hint: 'Give at least 8 digits of the id, or all of it: `stage session list` shows them.',
  });
}

async function completePrefix(api: ApiClient, prefix: string): Promise<string> {
  const found = /^sess_[0-9a-f]+$/.test(prefix) ? await sessionsStartingWith(api, prefix) : [];
  const [only] = found;
  if (only && found.length === 1) return only.id;
  if (only) throw several(`${found.length} sessions begin with ${prefix}`, found);
  throw new StageError('session_not_found', `there is no session ${JSON.stringify(prefix)}`, {
    hint: 'List the sessions with `stage session list`.',
  });
}

async function sessionsStartingWith(api: ApiClient, prefix: string): Promise<Session[]> {
  const found: Session[] = [];
  for await (const session of allSessions(api))
    if (session.id.startsWith(prefix)) found.push(session);
  return found;
}

function several(message: string, candidates: readonly Session[]): StageError {
  const lines = candidates.map(
    ({ id, status, projectId, createdAt }) => `${id} ${status} ${sanitize(projectId)} ${createdAt}`,
  );
  return new StageError('usage', message, {
    detail: lines.join('\n'),
    hint: 'Give it as an argument, with --session or STAGE_SESSION, or choose it with `stage session use`.',
    facts: { candidates: candidates.map(({ id }) => id) },
  });
}
