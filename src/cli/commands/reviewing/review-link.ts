/** `stage review-link`: prints a link that logs a browser in to the review page. */
import { stringifyJson } from '../../../model/json.ts';
import { resolveSession } from '../../arguments/session-argument.ts';
import { defineServerCommand } from '../../define-command.ts';

interface Options {
  readonly inbox?: true;
  readonly login: boolean;
}

export const reviewLinkCommand = defineServerCommand<Options>({
  description:
    'Print a link to the review page of the daemon. It logs one browser in, once, within 15 minutes, as whoever asks for it: ' +
    'open it yourself, and send it to nobody.',
  arguments: [['[session]', 'session id']],
  options: [
    ['--inbox', 'to the list of sessions'],
    ['--no-login', 'the address alone: it may be sent to anybody'],
  ],
  examples: [
    'stage review-link                  to the session that commands here mean',
    'stage review-link --inbox',
    'xdg-open "$(stage review-link sess_2f0c...)"',
  ],
  work: async ({ context, connection }, { inbox, login }, argument) => {
    const { api, settings } = connection;
    const id = inbox ? null : await resolveSession(context, connection, argument);
    const { path, expiresAt } = (await api.makeReviewLink(id, login)).value;
    const url = new URL(path, settings.server).href;
    if (context.out.json)
      return context.out.document(stringifyJson({ url, expires_at: expiresAt }));
    await context.out.line(url);
  },
});
