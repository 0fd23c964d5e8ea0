/** `stage psql`: runs psql with a session. */
import { access, constants } from 'node:fs/promises';
import { constants as system } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { sanitize } from '../../../client/sanitize.ts';
import { StageError } from '../../../errors.ts';
import type { ServerInfo } from '../../../model/service.ts';
import type { ReadsMode, Session } from '../../../model/session.ts';
import { readsOption } from '../../arguments/reads-option.ts';
import { resolveSession } from '../../arguments/session-argument.ts';
import { explain, withServer } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';
import type { Host } from '../../host.ts';
import {
  choosesReads,
  libpqEnvironment,
  targetOf,
  withUsersOptions,
} from '../../output/connection-string.ts';

interface Options {
  readonly user?: string;
  readonly reads?: ReadsMode;
}

export const psqlCommand = defineCommand<Options>({
  description:
    'Run psql through the proxy with a session. SELECT also reads what the session has staged, unless --reads production is given. ' +
    "Arguments after -- are handed to psql, and the command ends with psql's exit code. --verbose shows which psql is run.",
  usage: '[options] [session] [-- arguments...]',
  arguments: [
    ['[session]', 'session id'],
    ['[arguments...]', "psql's own arguments, after --"],
  ],
  options: [
    ['--user <role>', 'database role (default: PGUSER, else the name of your account)'],
    readsOption(
      'what SELECT sees: production alone, or with the staged rows merged in (default: staged)',
    ),
  ],
  examples: [
    'stage psql',
    'stage psql --reads production',
    'stage psql --user app -- --expanded',
    "stage psql sess_2f0c... -- --command 'select count(*) from orders'",
  ],
  work: async (context, { user, reads }, ...operands) => {
    const [session, psqlArguments] = splitOperands(context.host.argv, operands);
    const psql = await findPsql(context.host);
    const target = await withServer(context, async (connection) => {
      const { api, settings } = connection;
      const id = await resolveSession(context, connection, session);
      const { value: found } = await api.getSession(id);
      const { value: info } = await api.info();
      const mode = reads ?? (choosesReads(context.host) ? undefined : 'staged');
      const made = targetOf(context.host, settings.server, info, id, { user, reads: mode });
      for (const line of banner(found, info, mode)) await context.out.remark(line);
      return { ...made, options: withUsersOptions(context.host, made) };
    });
    await explain(context, `running ${psql}`);
    return runPsql(context.host, psql, psqlArguments, libpqEnvironment(target));
  },
});

/** Returns the lines that a person needs before writing by hand. @param reads undefined if PGOPTIONS sets it */
function banner(
  { id, status, mutationCount }: Session,
  { database }: ServerInfo,
  reads: ReadsMode | undefined,
): string[] {
  const staged = `${mutationCount} statement${mutationCount === 1 ? '' : 's'} staged`;
  const writes =
    status === 'active'
      ? 'What you write is staged; production does not change before `stage approve`.'
      : `The session is ${status}: writes are refused.`;
  const seen = {
    staged: 'SELECT sees production with the staged rows merged in (--reads production: without).',
    production: 'SELECT sees production, without the staged rows (--reads staged: with them).',
  };
  return [
    `Session ${id}, database ${sanitize(database)}, ${staged}.`,
    writes,
    reads === undefined ? 'PGOPTIONS decides what SELECT reads.' : seen[reads],
  ];
}

/** Separates the session's operand from psql's arguments, which follow `--`. */
function splitOperands(
  argv: readonly string[],
  operands: readonly string[],
): [string | undefined, readonly string[]] {
  const separator = argv.indexOf('--');
  const after = separator < 0 ? 0 : argv.length - separator - 1;
  const before = operands.slice(0, operands.length - after);
  if (before.length > 1) {
    throw new StageError('usage', `psql takes one session, not also ${JSON.stringify(before[1])}`, {
      hint: "Put psql's own arguments after --.",
    });
  }
  return [before[0], operands.slice(operands.length - after)];
}

/** Finds psql on the PATH like a shell, but ignores relative directories. */
async function findPsql({ env }: Host): Promise<string> {
  for (const directory of (env['PATH'] ?? '').split(delimiter).filter(isAbsolute)) {
    const file = join(directory, 'psql');
    const runnable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runnable) return file;
  }
  throw new StageError('not_found', 'psql is not installed, or not on the PATH', {
    hint: 'Install the PostgreSQL client, or use another one with `stage url`.',
  });
}

/** Variables that take precedence over PGHOST and would make libpq bypass the proxy. */
const detours = ['PGHOSTADDR', 'PGSERVICE', 'PGSERVICEFILE'];

/** Runs psql on this terminal and returns its exit code. The environment selects the session, since other users can see arguments. */
async function runPsql(
  host: Host,
  psql: string,
  psqlArguments: readonly string[],
  connection: Readonly<Record<string, string>>,
): Promise<number> {
  const inherited = Object.fromEntries(
    Object.entries(host.env).filter(([name]) => !detours.includes(name)),
  );
  const env = { ...inherited, ...connection };
  const { spawn } = await import('node:child_process');
  // Ctrl-C cancels psql's statement and must not end this process first
  const ignore = () => undefined;
  host.on('SIGINT', ignore);
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn(psql, psqlArguments, { stdio: 'inherit', env });
      child.once('error', reject);
      child.once('close', (code, signal) =>
        resolve(code ?? 128 + (signal ? system.signals[signal] : 0)),
      );
    });
  } finally {
    host.off('SIGINT', ignore);
  }
}
