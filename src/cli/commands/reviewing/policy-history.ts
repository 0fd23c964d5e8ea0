/** `stage policy history`: lists the versions of the policy. */

import { textCell } from '../../../client/cell.ts';
import { listPolicies } from '../../../client/policy.ts';
import type { PolicyVersion } from '../../../model/policy.ts';
import { listOptions } from '../../arguments/options.ts';
import { withServer } from '../../context.ts';
import type { ListOptions } from '../../output/list.ts';
import { showList } from '../../output/list.ts';
import type { ConfigureCommand } from '../../run.ts';
import { examples } from '../../run.ts';

const columns = [{ title: 'version' }, { title: 'at' }, { title: 'set by' }, { title: 'message' }];

export const configurePolicyHistory: ConfigureCommand = (command, run) => {
  command
    .description('List the versions of the policy, newest first. --json has their documents.')
    .addHelpText('before', examples(['stage policy history', 'stage policy history -o json']));
  listOptions(command).action(
    run<ListOptions>(async (context, options) =>
      withServer(context, async ({ api }) =>
        showList(context, options, {
          columns,
          row: ({ version, at, setBy, message }: PolicyVersion) => [
            version,
            at ?? '',
            textCell(setBy ?? ''),
            textCell(message ?? ''),
          ],
          member: 'versions',
          none: 'No policy was ever set.',
          fetch: (page) => listPolicies(api, page),
        }),
      ),
    ),
  );
};
