/** `stage status`: shows the address and state of the daemon, and the session of this directory. */

import { textCell } from '../../../client/cell.ts';
import type { JsonObject } from '../../../model/json.ts';
import { stringifyJson } from '../../../model/json.ts';
import type { Health, ServerInfo } from '../../../model/service.ts';
import { chosenSession } from '../../arguments/session-argument.ts';
import type { Connection, Context } from '../../context.ts';
import { defineServerCommand } from '../../define-command.ts';

interface Status {
  readonly server: string;
  readonly health: Health;
  readonly info: ServerInfo;
  /** Null while the upstream cannot be queried. */
  readonly activeSessions: number | null;
  readonly session: string | null;
}

export const statusCommand = defineServerCommand({
  description:
    'Show the address and the state of the daemon, and the session for commands in this directory. ' +
    'Ends with exit code 7 when the daemon or its upstream database cannot be reached.',
  examples: ['stage status', 'stage status --server http://stage.internal:8080 --json'],
  work: async ({ context, connection }) => {
    const status = await readStatus(context, connection);
    if (context.out.json) await context.out.document(stringifyJson(statusBody(status)));
    else await context.out.record(statusRows(status));
    return status.health.status === 'ok' ? 0 : 7;
  },
});

async function readStatus(context: Context, { api, settings }: Connection): Promise<Status> {
  const { value: health } = await api.health();
  const { value: info } = await api.info();
  const counted =
    health.status === 'ok' ? await api.listSessions({ status: 'active', limit: 0 }) : null;
  const session = await chosenSession(context.host, settings);
  return {
    server: settings.server,
    health,
    info,
    activeSessions: counted?.value.totalCount ?? null,
    session,
  };
}

function statusBody({ server, health, info, activeSessions, session }: Status): JsonObject {
  const { status, upstream, error } = health;
  return {
    server,
    status,
    upstream,
    error: error ?? undefined,
    version: info.version,
    proxy: info.proxy,
    database: info.database,
    embedded: info.embedded !== null,
    sessions_active: activeSessions,
    session_id: session,
  };
}

function statusRows({ server, health, info, activeSessions, session }: Status): [string, string][] {
  const rows: [string, string | null][] = [
    ['server', server],
    ['version', textCell(info.version)],
    ['status', textCell(health.status)],
    ['upstream', textCell(health.upstream)],
    ['error', health.error && textCell(health.error)],
    ['database', `${textCell(info.database)}${info.embedded ? ' (embedded)' : ''}`],
    ['proxy', `${textCell(info.proxy.host)}:${info.proxy.port}`],
    ['active sessions', activeSessions === null ? null : String(activeSessions)],
    ['session here', session],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== null);
}
