/** `stage login revoke`: ends the logins of a name at the review page. */
import { revokeLogins } from '../../../client/logins.ts';
import { withServer } from '../../context.ts';
import type { ConfigureCommand } from '../../run.ts';
import { examples } from '../../run.ts';

export const configureLoginRevoke: ConfigureCommand = (command, run) => {
  command
    .description(
      'Log all browsers of a person out of the review page, at all daemons of the database, and make unused links of theirs invalid. ' +
        'The token stays: `stage token revoke` takes it away, and its logins with it. It takes the token of an operator.',
    )
    .argument('<name>', 'name of the token')
    .addHelpText('before', examples(['stage login revoke ann']))
    .action(
      run(async (context, _, name = '') =>
        withServer(context, async ({ api }) => {
          const { body, value } = await revokeLogins(api, name);
          if (context.out.json) return context.out.document(body);
          await context.out.line(`${value} ${value === 1 ? 'login' : 'logins'} ended.`);
        }),
      ),
    );
};
