/** `stage url`: how a database client connects with a session. */
import { Option } from 'commander';
import type { UrlFormat } from '../connection-string.ts';
import { connectionString, targetOf, urlFormats } from '../connection-string.ts';
import { withServer } from '../context.ts';
import type { ConfigureCommand } from '../run.ts';
import { examples } from '../run.ts';
import { resolveSession } from '../session-argument.ts';

interface Options {
  readonly format: UrlFormat;
  readonly user?: string;
}

const help = examples([
  'psql "$(stage url)"',
  'stage url sess_2f0c... --format jdbc --user app',
  'eval "$(stage url --format env)" && pg_dump --version',
]);

export const configureUrl: ConfigureCommand = (command, run) => {
  command
    .description(
      'Print what a database client needs to connect through the proxy with a session. ' +
        'It contains no password, except that of the embedded sample database: clients take the password from where they always do.',
    )
    .argument('[session]', 'session id')
    .addOption(new Option('--format <format>', 'form to print').choices(urlFormats).default('url'))
    .option('--user <role>', 'database role (default: PGUSER, else the name of your account)')
    .addHelpText('before', help)
    .action(
      run<Options>(async (context, { format, user }, argument) =>
        withServer(context, async (connection) => {
          const id = await resolveSession(context, connection, argument);
          const { value: info } = await connection.api.info();
          const target = targetOf(context.host, connection.settings.server, info, id, user);
          await context.out.line(connectionString(target, context.out.json ? 'json' : format));
        }),
      ),
    );
};
