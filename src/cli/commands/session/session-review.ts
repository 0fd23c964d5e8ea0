/** `stage session review`: records the review of an approval that went past the policy. */
import { defineSessionCommand } from '../../define-command.ts';
import { reportOutcome } from '../../output/session-text.ts';

interface Options {
  readonly message?: string;
}

export const sessionReviewCommand = defineSessionCommand<Options>({
  description:
    'Record that you have reviewed an approval that went past the policy (break-glass). ' +
    'Neither its approver nor its authors can. Until then the session is marked: review due.',
  options: [['-m, --message <text>', 'what the review found']],
  examples: ['stage session review sess_2f0c... -m "was right"'],
  work: async ({ context, connection, id }, { message }) => {
    const reply = await connection.api.review(id, message);
    await reportOutcome(
      context.out,
      reply,
      'The review is recorded: `stage session show` names it.',
    );
  },
});
