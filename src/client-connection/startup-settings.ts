/** Reads the server's reports between the login and the first ReadyForQuery, adapts them for the client, and sends one query. */
import { StageError } from '../errors.ts';
import { pinned } from '../server-connection/pinned-settings.ts';
import type { Key } from '../wire/backend-decoder.ts';
import { parameterStatus } from '../wire/backend-messages.ts';
import { queryMessage } from '../wire/frontend-messages.ts';
import type { Login } from './startup-parameters.ts';
import type { StartupStream } from './startup-stream.ts';
import { broken, readLoginMessage } from './upstream-messages.ts';

export interface Reports {
  /** The messages for the client: reported settings, notices, or the error of the server's refusal. */
  readonly messages: readonly Buffer[];
  readonly outcome: 'ready' | 'refused';
  /** The upstream's cancel key. The client never gets it. */
  readonly key: Key | null;
  /** The settings that the server has reported. */
  readonly settings: ReadonlyMap<string, string>;
}

/**
 * Queries a setting that the server does not report. A role or database may set it to a value that no client may request.
 * The query is sent before the server is ready, so it costs no extra round trip.
 */
export const question = queryMessage('SHOW session_replication_role');

/**
 * Reads the server's messages up to its response to the `question`, or to its refusal.
 * @throws StageError `upstream_unavailable` when the server does not keep the pinned settings; `statement_not_supported` with SQLSTATE
 *   55P02 when the login disables triggers, which do all staging
 */
export async function readReports(
  upstream: StartupStream,
  access: Login['access'],
): Promise<Reports> {
  const messages: Buffer[] = [];
  const settings = new Map<string, string>();
  let key: Key | null = null;
  let isReady = false;
  let role: string | null = null;
  for (;;) {
    const message = await readLoginMessage(upstream);
    switch (message.type) {
      case 'setting':
        settings.set(message.name, message.value);
        messages.push(
          message.name === readOnly ? parameterStatus(readOnly, shown[access]) : message.frame,
        );
        break;
      case 'key':
        key = message.key;
        break;
      case 'notice':
        messages.push(message.frame);
        break;
      case 'error':
        return { messages: [...messages, message.frame], outcome: 'refused', key, settings };
      case 'ready':
        checkPinned(message.status, settings);
        if (isReady) {
          checkRole(role);
          return { messages, outcome: 'ready', key, settings };
        }
        isReady = true;
        break;
      case 'row':
        role = String(message.values[0]);
        break;
      case 'result':
        if (!isReady) throw broken('sent something else');
        break;
      case 'request':
        throw broken('asked for a password twice');
    }
  }
}

/**
 * Checks the session_replication_role of the connection.
 * @throws StageError unless triggers fire
 */
function checkRole(role: string | null): void {
  if (role === null) throw broken('did not answer');
  // guard: no role brings a setting that lets triggers be
  if (role === 'origin') return;
  const message = `session_replication_role is ${JSON.stringify(role)}, not "origin"`;
  throw new StageError('statement_not_supported', message, {
    sqlstate: '55P02',
    hint: 'Nothing could be staged. Run ALTER ROLE or ALTER DATABASE ... RESET session_replication_role, or connect as another role.',
  });
}

const readOnly = 'default_transaction_read_only';

/** The client's own choice instead of the pinned value: drivers with target_session_attrs=read-write check it. */
const shown = { 'read write': 'off', 'read only': 'on' } as const;

function checkPinned(status: string, reported: ReadonlyMap<string, string>): void {
  const lost = pinned.find(([name, value]) => reported.get(name) !== value);
  if (status === 'I' && lost === undefined) return;
  const what = lost === undefined ? 'begins inside a transaction' : `does not keep ${lost[0]}`;
  throw new StageError('upstream_unavailable', `the upstream ${what}`, {
    hint: 'The upstream URL must lead to PostgreSQL itself: a pooler may share or change its connections.',
  });
}
