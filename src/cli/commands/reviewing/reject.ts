/** `stage reject`: discards a proposed session's changes for good. */

import { defineSessionCommand } from '../../define-command.ts';
import { reportOutcome } from '../../output/session-text.ts';
import { agree } from '../../review.ts';

interface Options {
  readonly reason?: string;
  readonly yes?: true;
}

export const rejectCommand = defineSessionCommand<Options>({
  description:
    'Reject a proposed session and discard everything it staged; production stays as it is. ' +
    'Asks in a terminal; elsewhere it needs --yes.',
  options: [
    ['--reason <text>', 'why, stored with the session'],
    ['-y, --yes', 'do not ask'],
  ],
  examples: ['stage reject --reason "wrong customer"', 'stage reject sess_2f0c... --yes'],
  states: ['proposed', 'active'],
  work: async ({ context, connection, id }, options) => {
    const { agreed } = await agree(context, connection, id, {
      action: 'Discard all of it',
      yes: options.yes,
    });
    if (!agreed) return 1;
    const reply = await connection.api.reject(id, options.reason);
    await reportOutcome(
      context.out,
      reply,
      'Nothing of it reached production. Start over with `stage session new`.',
    );
    return 0;
  },
});
