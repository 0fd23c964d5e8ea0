/** `stage url`: prints how a database client connects with a session. */
import { Option } from 'commander';
import type { ReadsMode } from '../../../model/session.ts';
import { readsOption } from '../../arguments/reads-option.ts';
import { resolveSession } from '../../arguments/session-argument.ts';
import { defineServerCommand } from '../../define-command.ts';
import type { UrlFormat } from '../../output/connection-string.ts';
import {
  connectionString,
  targetOf,
  urlFormats,
  withUsersOptions,
} from '../../output/connection-string.ts';

interface Options {
  readonly format: UrlFormat;
  readonly user?: string;
  readonly reads?: ReadsMode;
}

export const urlCommand = defineServerCommand<Options>({
  description:
    'Print what a database client needs to connect through the proxy with a session. ' +
    'It contains no password, except that of the embedded sample database: clients take the password from where they always do.',
  arguments: [['[session]', 'session id']],
  options: [
    new Option('--format <format>', 'form to print').choices(urlFormats).default('url'),
    ['--user <role>', 'database role (default: PGUSER, else the name of your account)'],
    readsOption("what SELECT sees (default: the session's own mode)"),
  ],
  examples: [
    'psql "$(stage url)"',
    'stage url --reads staged                      SELECT also reads what is staged',
    'stage url sess_2f0c... --format jdbc --user app',
    'eval "$(stage url --format env)" && pg_dump --version',
  ],
  work: async ({ context, connection }, { format, user, reads }, argument) => {
    const { api, settings } = connection;
    const id = await resolveSession(context, connection, argument);
    // the URL of a session that does not exist would be useless
    await api.getSession(id);
    const { value: info } = await api.info();
    const target = targetOf(context.host, settings.server, info, id, { user, reads });
    if (context.out.json) return context.out.line(connectionString(target, 'json'));
    const options = format === 'env' ? withUsersOptions(context.host, target) : target.options;
    await context.out.line(connectionString({ ...target, options }, format));
  },
});
