/** `stage session connections`: lists the database clients of a session. */
import { textCell } from '../../../client/cell.ts';
import type { Connection } from '../../../model/connection.ts';
import { outputOption } from '../../arguments/output-option.ts';
import { openStates } from '../../arguments/session-argument.ts';
import { defineSessionCommand } from '../../define-command.ts';
import type { ListOptions } from '../../output/list.ts';
import { listOutputs, showList } from '../../output/list.ts';

const columns = ['backend', 'role', 'address', 'connected', 'state', 'through'].map((title) => ({
  title,
}));

export const sessionConnectionsCommand = defineSessionCommand<Pick<ListOptions, 'output'>>({
  description:
    'List the database clients of a session: all through this server, and of others those that hold it at the moment. ' +
    '`stage session delete --force` ends them.',
  options: [outputOption(listOutputs, 'table; in a pipe tsv')],
  examples: ['stage session connections', 'stage session connections sess_2f0c... -o csv'],
  states: openStates,
  work: async ({ context, connection, id }, options) => {
    await showList(context, options, {
      columns,
      row: connectionRow,
      member: 'connections',
      none: 'No database client is connected.',
      fetch: () => connection.api.listConnections(id),
    });
  },
});

function connectionRow({ backend, role, ...rest }: Connection): string[] {
  const { address, connectedAt, state, through } = rest;
  const known = [address, connectedAt, state].map((each) => each ?? '');
  return [String(backend), textCell(role), ...known, through];
}
