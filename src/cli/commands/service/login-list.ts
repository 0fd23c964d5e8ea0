/** `stage login list`: lists the logins of the review page. */
import { nameCell } from '../../../client/cell.ts';
import { listLogins } from '../../../client/logins.ts';
import { defineServerCommand } from '../../define-command.ts';

const columns = ['name', 'kind', 'until'].map((title) => ({ title }));

export const loginListCommand = defineServerCommand({
  description:
    'List the browsers that are logged in to the review page, and links that nobody has used. It requires the token of an operator.',
  examples: ['stage login list', 'stage login list --json'],
  work: async ({ context, connection: { api } }) => {
    const { out } = context;
    const { body, value } = await listLogins(api);
    if (out.json) return out.document(body);
    if (value.length === 0) return out.remark('Nobody is logged in.');
    const rows = value.map(({ name, kind, expiresAt }) => [nameCell(name), kind, expiresAt]);
    await out.table(columns, rows);
  },
});
