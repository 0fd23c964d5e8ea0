/** `stage reopen`: returns a proposed session to its author, with a message. */
import { StageError } from '../../../errors.ts';
import { resolveSession } from '../../arguments/session-argument.ts';
import { defineServerCommand } from '../../define-command.ts';
import { reportOutcome } from '../../output/session-text.ts';

interface Options {
  readonly message?: string;
}

export const reopenCommand = defineServerCommand<Options>({
  description:
    'Give a proposed session back to its author: it accepts writes again, and its staged rows stay. ' +
    'Reviewers ask for changes with it, authors take their own proposal back.',
  arguments: [['[session]', 'session id']],
  options: [['-m, --message <text>', 'what is to be changed, or why']],
  examples: ['stage reopen -m "only mugs, please"', 'stage reopen sess_2f0c... -m "forgot a row"'],
  work: async ({ context, connection }, { message }, argument) => {
    if (message === undefined) throw withoutMessage();
    const id = await resolveSession(context, connection, argument, ['proposed']);
    const reply = await connection.api.reopen(id, message);
    await reportOutcome(
      context.out,
      reply,
      'Its author gets the message: stage comments, stage wait --for proposed.',
    );
  },
});

function withoutMessage(): StageError {
  return new StageError('usage', 'reopening a session takes a message', {
    hint: 'Say what is to be changed: stage reopen -m "only mugs, please"',
  });
}
