/** `stage session list`: the sessions, newest first. */
import { Option } from 'commander';
import { textCell } from '../../client/cell.ts';
import type { SessionStatus } from '../../model/session.ts';
import { sessionStatuses } from '../../model/session.ts';
import { withServer } from '../context.ts';
import type { PagingOptions } from '../options.ts';
import { pagingOptions, tellRest } from '../options.ts';
import type { ConfigureCommand } from '../run.ts';
import { examples } from '../run.ts';

interface Options extends PagingOptions {
  readonly status?: SessionStatus;
  readonly project?: string;
}

const columns = [
  { title: 'session' },
  { title: 'project' },
  { title: 'status' },
  { title: 'mutations', align: 'right' },
  { title: 'created' },
] as const;

export const configureSessionList: ConfigureCommand = (command, run) => {
  command
    .description('List sessions, newest first.')
    .addOption(new Option('--status <status>', 'only in this state').choices(sessionStatuses))
    .option('-p, --project <project>', 'only of this project')
    .addHelpText(
      'before',
      examples([
        'stage session list',
        'stage session list --status proposed',
        'stage session list --json',
      ]),
    );
  pagingOptions(command).action(
    run<Options>(async (context, { status, project, limit, offset }) =>
      withServer(context, async ({ api }) => {
        const { body, value } = await api.listSessions({
          status,
          projectId: project,
          limit,
          offset,
        });
        if (context.out.json) return context.out.line(body);
        await context.out.table(
          columns,
          value.items.map(({ id, projectId, status: state, mutationCount, createdAt }) => [
            id,
            textCell(projectId),
            state,
            String(mutationCount),
            createdAt,
          ]),
        );
        await tellRest(context.out, value, offset);
      }),
    ),
  );
};
