/** `stage policy history`: lists the versions of the policy. */

import { textCell } from '../../../client/cell.ts';
import { listPolicies } from '../../../client/policy.ts';
import type { PolicyVersion } from '../../../model/policy.ts';
import { listOptions } from '../../arguments/options.ts';
import { defineServerCommand } from '../../define-command.ts';
import type { ListOptions } from '../../output/list.ts';
import { showList } from '../../output/list.ts';

const columns = [{ title: 'version' }, { title: 'at' }, { title: 'set by' }, { title: 'message' }];

export const policyHistoryCommand = defineServerCommand<ListOptions>({
  description: 'List the versions of the policy, newest first. --json has their documents.',
  options: [...listOptions],
  examples: ['stage policy history', 'stage policy history -o json'],
  work: async ({ context, connection: { api } }, options) =>
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
});
