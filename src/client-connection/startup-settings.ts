/** What a server reports between the login and its first ReadyForQuery, as the client shall see it, and what it is asked then. */
import { StageError } from '../errors.ts';
import { pinned } from '../server-connection/pinned-settings.ts';
import type { Key } from '../wire/backend-decoder.ts';
import { parameterStatus } from '../wire/backend-messages.ts';
import { queryMessage } from '../wire/frontend-messages.ts';
import type { Login } from './startup-parameters.ts';
import type { StartupStream } from './startup-stream.ts';
import { broken, readLoginMessage } from './upstream-messages.ts';

export interface Reports {
  /** Messages for the client: reported settings, notices, or the error with which the server refused. */
  readonly messages: readonly Buffer[];
  readonly outcome: 'ready' | 'refused';
  /** The upstream's cancel key, which stays here. */
  readonly key: Key | null;
}

/**
 * Asks for what the server does not report. Sent before the server is ready, so that the answer takes no round trip of its own:
 * a role or a database may bring a value that no client could have asked for.
 */
export const question = queryMessage('SHOW session_replication_role');

/**
 * Reads up to and including the server's answer to our question, or its refusal.
 * @throws StageError `upstream_unavailable` when the server does not keep the pinned settings; with SQLSTATE 55P02 where the
 *   login would let triggers be, by which alone rows are staged
 */
export async function readReports(
  upstream: StartupStream,
  access: Login['access'],
): Promise<Reports> {
  const messages: Buffer[] = [];
  const reported = new Map<string, string>();
  let key: Key | null = null;
  let isReady = false;
  let role: string | null = null;
  for (;;) {
    const message = await readLoginMessage(upstream);
    switch (message.type) {
      case 'setting':
        reported.set(message.name, message.value);
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
        return { messages: [...messages, message.frame], outcome: 'refused', key };
      case 'ready':
        checkPinned(message.status, reported);
        if (isReady) {
          checkRole(role);
          return { messages, outcome: 'ready', key };
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

/** @throws StageError unless triggers fire */
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

/** What the client asked for, not what is pinned: drivers with target_session_attrs=read-write look at it. */
const shown = { 'read write': 'off', 'read only': 'on' } as const;

function checkPinned(status: string, reported: ReadonlyMap<string, string>): void {
  const lost = pinned.find(([name, value]) => reported.get(name) !== value);
  if (status === 'I' && lost === undefined) return;
  const what = lost === undefined ? 'begins inside a transaction' : `does not keep ${lost[0]}`;
  throw new StageError('upstream_unavailable', `the upstream ${what}`, {
    hint: 'The upstream URL must lead to PostgreSQL itself: a pooler may share or change its connections.',
  });
}
