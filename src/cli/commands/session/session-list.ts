/** `stage session list`: the sessions, newest first. */
import { Option } from 'commander';
import { textCell } from '../../../client/cell.ts';
import { ageOf, authorOf, titleOf } from '../../../client/session-words.ts';
import type { Session, SessionStatus } from '../../../model/session.ts';
import { sessionStatuses } from '../../../model/session.ts';
import { listOptions } from '../../arguments/options.ts';
import { withServer } from '../../context.ts';
import type { ListOptions } from '../../output/list.ts';
import { showList } from '../../output/list.ts';
import type { ConfigureCommand } from '../../run.ts';
import { examples } from '../../run.ts';

interface Options extends ListOptions {
  readonly status?: SessionStatus;
  readonly project?: string;
}

const columns = [
  { title: 'session' },
  { title: 'project' },
  { title: 'status' },
  { title: 'mutations', align: 'right' },
  { title: 'created' },
  { title: 'author' },
  { title: 'for' },
  { title: 'age' },
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
        'stage session list --project shop --all -o csv',
      ]),
    );
  listOptions(command).action(
    run<Options>(async (context, options) =>
      withServer(context, async ({ api }) => {
        const { status, project: projectId } = options;
        await showList(context, options, {
          columns,
          row: sessionRow,
          member: 'sessions',
          fetch: (page) => api.listSessions({ status, projectId, ...page }),
        });
      }),
    ),
  );
};

function sessionRow(session: Session): string[] {
  const { id, projectId, status, mutationCount, createdAt } = session;
  const about = [authorOf(session), titleOf(session), ageOf(createdAt)];
  return [id, textCell(projectId), status, String(mutationCount), createdAt, ...about];
}
