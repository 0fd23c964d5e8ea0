/** `stage policy test`: checks a session by the rules. */
import {
  approvalsInWords,
  breakersInWords,
  checkSession,
  verdictInWords,
} from '../../../client/policy.ts';
import { openStates } from '../../arguments/session-argument.ts';
import { defineSessionCommand } from '../../define-command.ts';

export const policyTestCommand = defineSessionCommand({
  description:
    'Show which rules hold for a session, and whether it complies with them. Exits with 6 if it breaks one now. Changes nothing.',
  examples: ['stage policy test', 'stage policy test sess_2f0c... --json'],
  states: openStates,
  work: async ({ context, connection, id }) => {
    const { body, value } = await checkSession(connection.api, id);
    const isBroken = value.verdicts.some(({ holds }) => !holds);
    if (context.out.json) await context.out.document(body);
    else {
      await context.out.lines(value.verdicts.map(verdictInWords));
      if (value.approvals !== undefined) await context.out.line(approvalsInWords(value.approvals));
      if (value.breakGlass !== undefined) await context.out.line(breakersInWords(value.breakGlass));
      if (value.verdicts.length === 0) await context.out.remark('No rule holds for it.');
    }
    return isBroken ? 6 : 0;
  },
});
