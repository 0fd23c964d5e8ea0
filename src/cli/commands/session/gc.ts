/** `stage gc`: deletes abandoned active sessions. */
import { Option } from 'commander';
import { allSessions } from '../../../client/all-sessions.ts';
import type { ApiClient } from '../../../client/api-client.ts';
import { ageOf, authorOf, titleOf } from '../../../client/session-words.ts';
import { StageError } from '../../../errors.ts';
import { stringifyJson } from '../../../model/json.ts';
import type { Session } from '../../../model/session.ts';
import { duration } from '../../arguments/duration.ts';
import type { Connection, Context } from '../../context.ts';
import { defineServerCommand } from '../../define-command.ts';
import { ask, demandTerminal } from '../../prompt.ts';
import { forgetSession } from '../../remembered-session.ts';

interface Options {
  readonly olderThan: number;
  readonly staged?: true;
  readonly author?: string;
  readonly everybody?: true;
  readonly project?: string;
  readonly dryRun?: true;
  readonly yes?: true;
}

/** The outcome for a session. */
type Outcome = 'deleted' | 'in use' | 'found';

const day = 86_400_000;

export const gcCommand = defineServerCommand<Options>({
  description:
    'Delete active sessions of yours in which nothing has happened for a day and nothing is staged. Sessions that are used by a ' +
    'database client stay, and so do proposed ones. Asks in a terminal; elsewhere it needs --yes.',
  options: [
    new Option('--older-than <time>', 'those in which nothing has happened for so long')
      .argParser(duration)
      .default(day, '1d'),
    ['--staged', 'those in which something is staged, too'],
    new Option(
      '--author <name>',
      'those made with the token of this name, instead of yours',
    ).conflicts('everybody'),
    ['--everybody', 'those of everybody'],
    ['-p, --project <project>', 'only of this project'],
    ['--dry-run', 'only list them'],
    ['-y, --yes', 'do not ask'],
  ],
  examples: [
    'stage gc --dry-run                         what would go?',
    'stage gc --older-than 7d --yes             for a cron job',
    'stage gc --author ci --staged --older-than 30d',
  ],
  work: async ({ context, connection }, options) => {
    const found = await abandoned(connection.api, options);
    if (options.dryRun || found.length === 0)
      return report(context, new Map(found.map((session) => [session, 'found'])));
    if (!options.yes && !(await agreed(context, connection, found))) return 1;
    const outcomes = new Map<Session, Outcome>();
    for (const session of found) outcomes.set(session, await remove(context, connection, session));
    return report(context, outcomes);
  },
});

/** Finds abandoned active sessions, newest first. */
async function abandoned(api: ApiClient, options: Options): Promise<Session[]> {
  const own = options.everybody ? undefined : ((await api.whoami()).value.name ?? undefined);
  const author = options.author ?? own;
  const before = Date.now() - options.olderThan;
  const found: Session[] = [];
  const filter = { status: 'active', projectId: options.project, author } as const;
  for await (const session of allSessions(api, filter))
    if (isAbandoned(session, before, options.staged)) found.push(session);
  return found;
}

const isAbandoned = (session: Session, before: number, staged: boolean | undefined) =>
  session.status === 'active' &&
  Date.parse(session.updatedAt) <= before &&
  (staged || session.mutationCount === 0);

async function agreed(
  { host, out }: Context,
  { interruption }: Connection,
  found: readonly Session[],
): Promise<boolean> {
  demandTerminal(host, out);
  for (const session of found) await out.note(cells(session).join('  '));
  const question = `Delete ${found.length === 1 ? 'this session' : `these ${found.length} sessions`}? Type yes to go on: `;
  if ((await ask(host, question, interruption)) === 'yes') return true;
  await out.note('Nothing was done.');
  return false;
}

/** Deletes a session unless it changed since it was found, or a database client of the daemon uses it. */
async function remove(
  { host }: Context,
  { api, settings }: Connection,
  { id, updatedAt }: Session,
): Promise<Outcome> {
  const users = (await api.listConnections(id)).value.items;
  const now = (await api.getSession(id)).value;
  if (users.length > 0 || now.updatedAt !== updatedAt || now.status !== 'active') return 'in use';
  const outcome = await api.deleteSession(id).then(
    (): Outcome => 'deleted',
    (error: unknown): Outcome => {
      if (error instanceof StageError && error.code === 'session_busy') return 'in use';
      throw error;
    },
  );
  if (outcome === 'deleted') await forgetSession(host, settings.server, id);
  return outcome;
}

const columns = ['session', 'author', 'for', 'mutations', 'age', 'outcome'].map((title) => ({
  title,
}));

function cells(session: Session): string[] {
  const { id, mutationCount, updatedAt } = session;
  return [id, authorOf(session), titleOf(session), String(mutationCount), ageOf(updatedAt)];
}

async function report({ out }: Context, outcomes: ReadonlyMap<Session, Outcome>): Promise<number> {
  if (out.json) {
    const sessions = [...outcomes].map(([{ id }, outcome]) => ({ session_id: id, outcome }));
    await out.document(stringifyJson({ sessions }));
  } else if (outcomes.size === 0) await out.remark('No session is abandoned.');
  else
    await out.table(
      columns,
      [...outcomes].map(([session, outcome]) => [...cells(session), outcome]),
    );
  return 0;
}
