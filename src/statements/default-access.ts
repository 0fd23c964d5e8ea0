/**
 * The access of transactions that do not name theirs: the client's default_transaction_read_only. The server's own is pinned,
 * so a setting of ours takes the value, and the server brings that back where a transaction is rolled back: so it is asked.
 */

import { accessSetting } from '../server-connection/pinned-settings.ts';
import { syncAndGoOn } from '../server-connection/sync.ts';
import type { Access } from '../server-connection/transaction-table.ts';
import type { ControlAction } from '../sql/verdict.ts';
import { decodeDataRow } from '../wire/backend-decoder.ts';
import { parameterStatus } from '../wire/backend-messages.ts';
import type { ConnectionContext } from './connection-context.ts';

/** What is sent in the place of a statement that sets the default: it has the same answers in every state of the transaction. */
export function settingText({ to }: Extract<ControlAction, { type: 'set access' }>): string {
  if (to === 'reset') return `RESET ${accessSetting}`;
  return to === 'default' ? `SET ${accessSetting} TO DEFAULT` : `SET ${accessSetting} = '${to}'`;
}

/** To be called when the default has been set. @param to null for what it was at the start of the connection */
export function changeDefault({ state, router }: ConnectionContext, to: Access | null): void {
  const access = to ?? state.initialAccess;
  if (access !== state.clientAccess) router.report(parameter, reports[access]);
  state.setDefault(access);
}

/** Asks for the default where a transaction has ended that may have taken it back. */
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
