/**
 * The default access of the client's transactions, its default_transaction_read_only. The server's own setting is pinned, so an internal
 * setting stores the value. A rollback restores that setting on the server, so the proxy queries it.
 */

import { accessSetting } from '../server-connection/pinned-settings.ts';
import { syncAndGoOn } from '../server-connection/sync.ts';
import type { Access } from '../server-connection/transaction-table.ts';
import type { ControlAction } from '../sql/verdict.ts';
import { decodeDataRow } from '../wire/backend-decoder.ts';
import { parameterStatus } from '../wire/backend-messages.ts';
import type { ConnectionContext } from './connection-context.ts';

/** Returns the replacement for a statement that sets the default. It has the same responses in every state of the transaction. */
export function settingText({ to }: Extract<ControlAction, { type: 'set access' }>): string {
  if (to === 'reset') return `RESET ${accessSetting}`;
  return to === 'default' ? `SET ${accessSetting} TO DEFAULT` : `SET ${accessSetting} = '${to}'`;
}

/** Handles a change of the default. @param to null for its value at the start of the connection */
export function changeDefault({ state, router }: ConnectionContext, to: Access | null): void {
  const access = to ?? state.initialAccess;
  if (access !== state.clientAccess) router.report(parameter, reports[access]);
  state.setDefault(access);
}

/** Queries the default after a transaction that may have restored it. */
export async function learnDefault(context: ConnectionContext): Promise<void> {
  const { internal, state, router } = context;
  internal.run(
    { text: `SHOW ${accessSetting}` },
    {
      onRow: (payload) => {
        const access =
          String(decodeDataRow(payload)[0]) === 'read only' ? 'read only' : 'read write';
        if (access !== state.clientAccess) router.report(parameter, reports[access]);
        state.learnDefault(access);
      },
    },
  );
  await syncAndGoOn(context);
}

const parameter = 'default_transaction_read_only';

const reports = {
  'read write': parameterStatus(parameter, 'off'),
  'read only': parameterStatus(parameter, 'on'),
};
