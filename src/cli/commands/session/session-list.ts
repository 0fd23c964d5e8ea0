/** `stage session list`: lists the sessions, newest first. */
import { Option } from 'commander';
import type { ApiClient } from '../../../client/api-client.ts';
import { textCell } from '../../../client/cell.ts';
import { ageOf, authorOf, labelOf } from '../../../client/session-words.ts';
import { StageError } from '../../../errors.ts';
import type { Session, SessionStatus } from '../../../model/session.ts';
import { sessionStatuses } from '../../../model/session.ts';
import { listOptions } from '../../arguments/options.ts';
import { defineServerCommand } from '../../define-command.ts';
import type { ListOptions } from '../../output/list.ts';
import { showList } from '../../output/list.ts';

interface Options extends ListOptions {
  readonly status?: SessionStatus;
  readonly project?: string;
  readonly mine?: true;
  readonly author?: string;
  readonly search?: string;
  readonly reviewDue?: true;
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

export const sessionListCommand = defineServerCommand<Options>({
  description: 'List sessions, newest first.',
  options: [
    new Option('--status <status>', 'only in this state').choices(sessionStatuses),
    ['-p, --project <project>', 'only of this project'],
    new Option('--mine', 'only those made with your token').conflicts('author'),
    ['--author <name>', 'only those made with the token of this name'],
    [
      '--search <text>',
      'only those, of the newest 10,000, with this text in id, project, author or metadata, in whatever case',
    ],
    ['--review-due', 'only approvals past the policy that nobody else has reviewed yet'],
    ...listOptions,
  ],
  examples: [
    'stage session list',
    'stage session list --status proposed',
    'stage session list --mine --status active',
    'stage session list --search "fix prices"',
    'stage session list --review-due',
    'stage session list --project shop --all -o csv',
  ],
  work: async ({ context, connection: { api } }, options) => {
    const { status, project: projectId, search } = options;
    const reviewDue = options.reviewDue ? 'true' : undefined;
    const author = options.mine ? await ownName(api) : options.author;
    await showList(context, options, {
      columns,
      row: sessionRow,
      member: 'sessions',
      fetch: (page) => api.listSessions({ status, projectId, author, search, reviewDue, ...page }),
    });
  },
});

/** Returns the name of the caller's token. @throws StageError `usage` if no token identifies the caller */
async function ownName(api: ApiClient): Promise<string> {
  const { name } = (await api.whoami()).value;
  if (name !== null) return name;
  throw new StageError('usage', 'the service demands no token: nobody knows which are yours', {
    hint: 'Find them by --search or --project.',
  });
}

function sessionRow(session: Session): string[] {
  const { id, projectId, status, mutationCount, createdAt } = session;
  const about = [authorOf(session), labelOf(session), ageOf(createdAt)];
  return [id, textCell(projectId), status, String(mutationCount), createdAt, ...about];
}
