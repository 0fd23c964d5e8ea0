/** `stage audit list`: applied row changes of a project, oldest first. */

import { textCell } from '../../client/cell.ts';
import type { AuditEntry } from '../../model/change.ts';
import type { Context, SharedOptions } from '../context.ts';
import { withServer } from '../context.ts';
import type { PagingOptions } from '../options.ts';
import { operationOption, pagingOptions, tellRest } from '../options.ts';
import type { ConfigureCommand } from '../run.ts';
import { examples } from '../run.ts';
import { resolveSession } from '../session-argument.ts';

interface Options extends PagingOptions {
  readonly project?: string;
  readonly table?: string;
  readonly operation?: string;
  readonly since?: string;
  readonly until?: string;
}

const columns = ['entry', 'approved', 'by', 'session', 'operation', 'table', 'row'].map(
  (title) => ({ title }),
);

const help = examples([
  'stage audit list --project shop',
  'stage audit list --table orders --operation delete --since 2026-01-31T00:00:00Z',
  'stage audit list --session sess_2f0c... --json',
]);

export const configureAuditList: ConfigureCommand = (command, run) => {
  command
    .description(
      'List the row changes that approvals applied, oldest first; with --session those of one session.',
    )
    .option('-p, --project <project>', 'project (default: that of --session, else default)')
    .option('--table <table>', 'only this table')
    .addOption(operationOption('--operation <kind>', 'only this kind'))
    .option('--since <time>', 'only after this ISO 8601 time')
    .option('--until <time>', 'only before this ISO 8601 time')
    .addHelpText('before', help);
  pagingOptions(command).action(run<Options>(list));
};

async function list(context: Context, options: Options & SharedOptions): Promise<void> {
  const { project, session, table: tableName, operation, since, until, limit, offset } = options;
  await withServer(context, async (connection) => {
    const { api } = connection;
    const sessionId = session && (await resolveSession(context, connection, session));
    const owner = sessionId && !project ? (await api.getSession(sessionId)).value.projectId : null;
    const projectId = project ?? owner ?? 'default';
    const filter = { projectId, sessionId, tableName, operation, since, until, limit, offset };
    const { body, value } = await api.listAudit(filter);
    if (context.out.json) return context.out.line(body);
    await context.out.table(columns, value.items.map(entryRow));
    await tellRest(context.out, value, offset);
  });
}

function entryRow(entry: AuditEntry): string[] {
  return [
    entry.id,
    entry.approvedAt,
    textCell(entry.approvedBy ?? ''),
    entry.sessionId,
    entry.operation,
    textCell(entry.tableName),
    textCell(entry.rowId),
  ];
}
