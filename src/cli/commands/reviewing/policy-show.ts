/** `stage policy show`: prints the document that counts now, as `stage policy set` takes it. */
import { showPolicy } from '../../../client/policy.ts';
import { safeJson } from '../../../client/sanitize.ts';
import { withServer } from '../../context.ts';
import type { ConfigureCommand } from '../../run.ts';
import { examples } from '../../run.ts';

export const configurePolicyShow: ConfigureCommand = (command, run) => {
  command
    .description(
      'Show the policy that counts now. Prints the document alone; --json adds its version, and who set it.',
    )
    .addHelpText('before', examples(['stage policy show', 'stage policy show > policy.json']))
    .action(
      run(async (context) =>
        withServer(context, async ({ api }) => {
          const { body, value } = await showPolicy(api);
          if (context.out.json) return context.out.document(body);
          await context.out.line(safeJson(value.document.text));
          await context.out.remark(
            value.version === '0' ? 'No policy was ever set.' : `It is version ${value.version}.`,
          );
        }),
      ),
    );
};
