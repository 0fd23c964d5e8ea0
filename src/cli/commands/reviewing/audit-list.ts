/** `stage audit list`: lists the applied row changes of a project, oldest first. */

import { textCell } from '../../../client/cell.ts';
import { hiddenInWords } from '../../../client/words.ts';
import type { AuditEntry } from '../../../model/audit.ts';
import { listOptions, operationOption } from '../../arguments/options.ts';
import { resolveSession } from '../../arguments/session-argument.ts';
import type { Context } from '../../context.ts';
import { withServer } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';
import type { ListOptions } from '../../output/list.ts';
import { showList } from '../../output/list.ts';
import type { SharedOptions } from '../../settings.ts';

interface Options extends ListOptions {
  readonly project?: string;
  readonly table?: string;
  readonly operation?: string;
  readonly since?: string;
  readonly until?: string;
}

const columns = ['entry', 'approved', 'by', 'session', 'operation', 'table', 'row'].map(
  (title) => ({ title }),
);

export const auditListCommand = defineCommand<Options>({
  description:
    'List the row changes that approvals applied, oldest first; with --session those of one session.',
  options: [
    ['-p, --project <project>', 'project (default: that of --session, else default)'],
    ['--table <table>', 'only this table'],
    operationOption('--operation <kind>', 'only this kind'),
    ['--since <time>', 'only after this ISO 8601 time'],
    ['--until <time>', 'only before this ISO 8601 time'],
    ...listOptions,
  ],
  examples: [
    'stage audit list --project shop',
    'stage audit list --table orders --operation delete --since 2026-01-31T00:00:00Z',
    'stage audit list --session sess_2f0c... --all -o jsonl',
  ],
  work: list,
});

async function list(context: Context, options: Options & SharedOptions): Promise<void> {
  const { project, session, table: tableName, operation, since, until } = options;
  await withServer(context, async (connection) => {
    const { api } = connection;
    const sessionId = session && (await resolveSession(context, connection, session));
    const owner = sessionId && !project ? (await api.getSession(sessionId)).value.projectId : null;
    const projectId = project ?? owner ?? 'default';
    const filter = { projectId, sessionId, tableName, operation, since, until };
    await showList(context, options, {
      columns,
      row: entryRow,
      member: 'entries',
      fetch: (page) => api.listAudit({ ...filter, ...page }),
    });
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
    entry.rowId === null ? hiddenInWords : textCell(entry.rowId),
  ];
}
