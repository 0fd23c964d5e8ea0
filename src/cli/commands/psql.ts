/** `stage psql`: runs psql with a session. */
import { access, constants } from 'node:fs/promises';
import { constants as system } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { StageError } from '../../errors.ts';
import { libpqEnvironment, targetOf } from '../connection-string.ts';
import { explain, withServer } from '../context.ts';
import type { Host } from '../host.ts';
import type { ConfigureCommand } from '../run.ts';
import { examples } from '../run.ts';
import { resolveSession } from '../session-argument.ts';

interface Options {
  readonly user?: string;
}

const help = examples([
  'stage psql',
  'stage psql --user app -- --expanded',
  "stage psql sess_2f0c... -- --command 'select count(*) from orders'",
]);

export const configurePsql: ConfigureCommand = (command, run) => {
  command
    .description(
      'Run psql through the proxy with a session. What stands after -- is handed to psql, ' +
        "and psql's exit code is the command's. --verbose shows which psql is run.",
    )
    .argument('[session]', 'session id')
    .argument('[arguments...]', "psql's own arguments, after --")
    .option('--user <role>', 'database role (default: PGUSER, else the name of your account)')
    .usage('[options] [session] [-- arguments...]')
    .addHelpText('before', help)
    .action(
      run<Options>(async (context, { user }, ...operands) => {
        const [session, psqlArguments] = splitOperands(context.host.argv, operands);
        const psql = await findPsql(context.host);
        const target = await withServer(context, async (connection) => {
          const id = await resolveSession(context, connection, session);
          const { value: info } = await connection.api.info();
          return targetOf(context.host, connection.settings.server, info, id, user);
        });
        await explain(context, `running ${psql}`);
        return runPsql(context.host, psql, psqlArguments, libpqEnvironment(target));
      }),
    );
};

/** Tells the session's operand from psql's arguments: only the latter stand after `--`. */
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

/** Finds psql the way a shell does, but never in a directory that depends on where we are. */
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

/** Variables that would lead libpq past the proxy: they win over PGHOST. */
const detours = ['PGHOSTADDR', 'PGSERVICE', 'PGSERVICEFILE'];

/** Runs psql on our terminal and gives its exit code. The session goes in by the environment: arguments are for all to see. */
async function runPsql(
  host: Host,
  psql: string,
  psqlArguments: readonly string[],
  connection: Readonly<Record<string, string>>,
): Promise<number> {
  const inherited = Object.fromEntries(
    Object.entries(host.env).filter(([name]) => !detours.includes(name)),
  );
  const options = [host.env['PGOPTIONS'], connection['PGOPTIONS']].filter(Boolean).join(' ');
  const env = { ...inherited, ...connection, PGOPTIONS: options };
  const { spawn } = await import('node:child_process');
  // Ctrl-C cancels psql's statement, and must not end us before it
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
