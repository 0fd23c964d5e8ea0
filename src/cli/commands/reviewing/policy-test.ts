/** `stage policy test`: says how the rules judge a session. */
import { approvalsInWords, judgeSession, verdictInWords } from '../../../client/policy.ts';
import { openStates, resolveSession } from '../../arguments/session-argument.ts';
import { withServer } from '../../context.ts';
import type { ConfigureCommand } from '../../run.ts';
import { examples } from '../../run.ts';

export const configurePolicyTest: ConfigureCommand = (command, run) => {
  command
    .description(
      'Say which rules hold for a session, and whether it keeps to them. Exits with 6 if it breaks one now. Changes nothing.',
    )
    .argument('[session]', 'session id')
    .addHelpText('before', examples(['stage policy test', 'stage policy test sess_2f0c... --json']))
    .action(
      run(async (context, _options, argument) =>
        withServer(context, async (connection) => {
          const id = await resolveSession(context, connection, argument, openStates);
          const { body, value } = await judgeSession(connection.api, id);
          const isBroken = value.verdicts.some(({ holds }) => !holds);
          if (context.out.json) await context.out.document(body);
          else {
            await context.out.lines(value.verdicts.map(verdictInWords));
            if (value.approvals !== undefined)
              await context.out.line(approvalsInWords(value.approvals));
            if (value.verdicts.length === 0) await context.out.remark('No rule holds for it.');
          }
          return isBroken ? 6 : 0;
        }),
      ),
    );
};
