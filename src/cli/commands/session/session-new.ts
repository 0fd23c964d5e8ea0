/** `stage session new`: starts a session and remembers it for this directory. */
import { Option } from 'commander';
import type { Reply } from '../../../client/service-client.ts';
import { StageError } from '../../../errors.ts';
import type { JsonObject } from '../../../model/json.ts';
import { JsonText, stringifyJson } from '../../../model/json.ts';
import type { ServerInfo } from '../../../model/service.ts';
import type { ConflictScope, ReadsMode, Session } from '../../../model/session.ts';
import { conflictScopes } from '../../../model/session.ts';
import { readsOption } from '../../arguments/reads-option.ts';
import { openStates } from '../../arguments/session-argument.ts';
import type { Connection, Context } from '../../context.ts';
import { defineServerCommand } from '../../define-command.ts';
import { connectionString, targetOf } from '../../output/connection-string.ts';
import { rememberedSession, rememberSession } from '../../remembered-session.ts';

interface Options {
  readonly project?: string;
  readonly reads?: ReadsMode;
  readonly conflictScope?: ConflictScope;
  readonly metadata?: readonly string[];
}

export const sessionNewCommand = defineServerCommand<Options>({
  description:
    'Start a session, and make it the one that commands in this directory mean. In a pipe only its id is printed.',
  options: [
    ['-p, --project <project>', 'project to file it under (default: default)'],
    readsOption(
      'what SELECT sees: production alone, or with the staged rows merged in (default: production)',
    ),
    new Option(
      '--conflict-scope <scope>',
      'what must be unchanged in production at approval: the row, or each column it changed (default: row)',
    ).choices(conflictScopes),
    ['--metadata <name=value...>', 'facts to store with it'],
  ],
  examples: [
    'stage session new',
    'stage session new --project shop --metadata ticket=OPS-17 author=ada',
    'stage session new --reads staged',
    'S=$(stage session new) && psql "$(stage url "$S")"',
  ],
  work: async ({ context, connection }, { project, reads, conflictScope, metadata }) => {
    const reply = await connection.api.createSession({
      projectId: project,
      reads,
      conflictScope,
      metadata: metadata && readMetadata(metadata),
    });
    await reportSession(context, connection, reply);
    await choose(context, connection, reply.value.id);
  },
});

function readMetadata(pairs: readonly string[]): JsonText {
  const metadata: Record<string, string> = {};
  for (const pair of pairs) {
    const separator = pair.indexOf('=');
    if (separator < 1) {
      throw new StageError(
        'usage',
        `metadata ${JSON.stringify(pair)} is not of the form name=value`,
        {
          hint: 'Write for example --metadata ticket=OPS-17.',
        },
      );
    }
    metadata[pair.slice(0, separator)] = pair.slice(separator + 1);
  }
  return new JsonText(stringifyJson(metadata satisfies JsonObject));
}

/**
 * Makes it the session of commands in this directory, and reports which open session it replaces. A failure is only a warning, as the
 * session exists and its id was printed.
 */
async function choose({ host, out }: Context, connection: Connection, id: string): Promise<void> {
  const { server } = connection.settings;
  const before = await rememberedSession(host, server);
  try {
    await rememberSession(host, server, id);
  } catch (error) {
    const reason = (error as Error).message;
    return out.note(`warning: name this session yourself, it cannot be remembered: ${reason}`);
  }
  if (before !== null && (await isOpen(connection, before)))
    await out.note(`Commands in ${host.cwd()} now mean this session, and no longer ${before}.`);
  else await out.remark(`Commands in ${host.cwd()} now mean this session.`);
}

async function isOpen({ api }: Connection, id: string): Promise<boolean> {
  const found = await api.getSession(id).catch(() => null);
  return found !== null && openStates.some((status) => status === found.value.status);
}

async function reportSession(
  context: Context,
  { api, settings }: Connection,
  { body, value }: Reply<Session>,
) {
  const { host, out } = context;
  if (out.json) return out.document(body);
  if (!out.terminal) return out.line(value.id);
  const { value: info } = await api.info();
  await out.lines(
    instructions(
      value,
      connectionString(targetOf(host, settings.server, info, value.id), 'url'),
      info,
    ),
  );
}

/** Returns the next steps for a person. */
function instructions({ id, reads }: Session, url: string, info: ServerInfo): string[] {
  const seen =
    reads === 'staged'
      ? 'production with your own changes merged in'
      : 'production; staged rows stay out of sight';
  return [
    `session  ${id}`,
    `url      ${url}`,
    `psql     psql '${url}'`,
    '',
    `Connect, and write: nothing reaches ${info.database} before it is approved. Reads see ${seen}.`,
    'Then:    stage diff, stage propose, stage approve',
  ];
}
