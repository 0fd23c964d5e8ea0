/** `stage url`: prints how a database client connects with a session. */
import { Option } from 'commander';
import type { ReadsMode } from '../../../model/session.ts';
import { readsOption } from '../../arguments/reads-option.ts';
import { resolveSession } from '../../arguments/session-argument.ts';
import { withServer } from '../../context.ts';
import type { UrlFormat } from '../../output/connection-string.ts';
import {
  connectionString,
  targetOf,
  urlFormats,
  withUsersOptions,
} from '../../output/connection-string.ts';
import type { ConfigureCommand } from '../../run.ts';
import { examples } from '../../run.ts';

interface Options {
  readonly format: UrlFormat;
  readonly user?: string;
  readonly reads?: ReadsMode;
}

const help = examples([
  'psql "$(stage url)"',
  'stage url --reads staged                      SELECT also reads what is staged',
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
    .addOption(readsOption("what SELECT sees (default: the session's own mode)"))
    .addHelpText('before', help)
    .action(
      run<Options>(async (context, { format, user, reads }, argument) =>
        withServer(context, async (connection) => {
          const { api, settings } = connection;
          const id = await resolveSession(context, connection, argument);
          // the URL of a session that does not exist would be useless
          await api.getSession(id);
          const { value: info } = await api.info();
          const target = targetOf(context.host, settings.server, info, id, { user, reads });
          if (context.out.json) return context.out.line(connectionString(target, 'json'));
          const options =
            format === 'env' ? withUsersOptions(context.host, target) : target.options;
          await context.out.line(connectionString({ ...target, options }, format));
        }),
      ),
    );
};
