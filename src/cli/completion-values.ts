/** Fetches sessions, tables and projects from the daemon for completions; none if it does not respond in time. */
import type { ApiClient } from '../client/api-client.ts';
import type { Session, SessionStatus } from '../model/session.ts';
import { chosenSession } from './arguments/session-argument.ts';
import type { Completion, ValueKind, Values, Written } from './completions.ts';
import type { Host } from './host.ts';
import type { ClientSettings } from './settings.ts';
import { readSettings } from './settings.ts';

/** The time limit in milliseconds. A busy daemon may need most of it. */
const patience = 2_000;

/** The states of the sessions that a command can use; all states for commands that are not listed. */
const useful: Readonly<Record<string, readonly SessionStatus[]>> = {
  url: ['active'],
  psql: ['active'],
  run: ['active'],
  propose: ['active'],
  check: ['active', 'proposed'],
  wait: ['active', 'proposed'],
  delete: ['active', 'proposed'],
  approve: ['proposed'],
  reject: ['proposed'],
};

/** Makes the function that fetches values. It never throws. */
export function daemonValues(host: Host): Values {
  return async (kind, written) => {
    try {
      return await ask(host, kind, written);
    } catch {
      return [];
    }
  };
}

async function ask(host: Host, kind: ValueKind, written: Written): Promise<Completion[]> {
  const { server, config, session } = written.options;
  const settings = await readSettings(host, {
    color: 'never',
    ...defined({ server, config, session }),
  });
  const { ApiClient: Client } = await import('../client/api-client.ts');
  const api = new Client({ ...settings, signal: AbortSignal.timeout(patience) });
  try {
    if (kind === 'table') return await tables(api, host, settings, written);
    const sessions = (await api.listSessions({ limit: 200 })).value.items;
    return kind === 'session' ? sessionsFor(written.command.name(), sessions) : projects(sessions);
  } finally {
    await api.close();
  }
}

function sessionsFor(command: string, sessions: readonly Session[]): Completion[] {
  const states = useful[command];
  return sessions
    .filter(({ status }) => states === undefined || states.includes(status))
    .map(({ id, status, projectId, createdAt }) => ({
      value: id,
      text: `${status} ${projectId} ${createdAt}`,
    }));
}

function projects(sessions: readonly Session[]): Completion[] {
  const names = new Set(sessions.map(({ projectId }) => projectId));
  return [...names].map((value) => ({ value, text: '' }));
}

/** Returns the tables that the session's statements wrote to. */
async function tables(
  api: ApiClient,
  host: Host,
  settings: ClientSettings,
  { operands }: Written,
): Promise<Completion[]> {
  const session = operands[0] ?? (await chosenSession(host, settings)) ?? (await onlyActive(api));
  if (session === null) return [];
  const { items } = (await api.listMutations(session, { limit: 1000 })).value;
  return [...new Set(items.map(({ table }) => table))].map((value) => ({ value, text: '' }));
}

async function onlyActive(api: ApiClient): Promise<string | null> {
  const { items } = (await api.listSessions({ status: 'active', limit: 2 })).value;
  return items.length === 1 ? (items[0]?.id ?? null) : null;
}

function defined(options: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
