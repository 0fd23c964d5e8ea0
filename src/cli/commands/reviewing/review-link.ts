/** `stage review-link`: prints a link that logs a browser in to the review page. */
import { stringifyJson } from '../../../model/json.ts';
import { resolveSession } from '../../arguments/session-argument.ts';
import { withServer } from '../../context.ts';
import type { ConfigureCommand } from '../../run.ts';
import { examples } from '../../run.ts';

interface Options {
  readonly inbox?: true;
  readonly login: boolean;
}

export const configureReviewLink: ConfigureCommand = (command, run) => {
  command
    .description(
      'Print a link to the review page of the daemon. It logs one browser in, once, within 15 minutes, as whoever asks for it: ' +
        'open it yourself, and send it to nobody.',
    )
    .argument('[session]', 'session id')
    .option('--inbox', 'to the list of sessions')
    .option('--no-login', 'the address alone: it may be sent to anybody')
    .addHelpText(
      'before',
      examples([
        'stage review-link                  to the session that commands here mean',
        'stage review-link --inbox',
        'xdg-open "$(stage review-link sess_2f0c...)"',
      ]),
    )
    .action(
      run<Options>(async (context, { inbox, login }, argument) =>
        withServer(context, async (connection) => {
          const { api, settings } = connection;
          const id = inbox ? null : await resolveSession(context, connection, argument);
          const { path, expiresAt } = (await api.makeReviewLink(id, login)).value;
          const url = new URL(path, settings.server).href;
          if (context.out.json)
            return context.out.document(stringifyJson({ url, expires_at: expiresAt }));
          await context.out.line(url);
        }),
      ),
    );
};
