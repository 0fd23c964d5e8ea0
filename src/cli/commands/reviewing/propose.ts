/** `stage propose`: submits a session for review, which closes it for writing. */

import { defineSessionCommand } from '../../define-command.ts';
import { reportOutcome } from '../../output/session-text.ts';

interface Options {
  readonly message?: string;
}

export const proposeCommand = defineSessionCommand<Options>({
  description:
    'Submit a session for review. It becomes read-only until it is approved, rejected or deleted.',
  options: [['-m, --message <text>', 'what the reviewer should know']],
  examples: ['stage propose', 'stage propose sess_2f0c... --json'],
  work: async ({ context, connection, id }, { message }) => {
    const reply = await connection.api.propose(id, message);
    await reportOutcome(
      context.out,
      reply,
      `Next: stage check, stage diff, stage approve (or stage reject).`,
    );
  },
});
