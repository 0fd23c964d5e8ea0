/** `stage log`: lists the statements that a session staged, oldest first. */

import { roleInWords } from '../../../client/cause-words.ts';
import { tableCell, valueCell } from '../../../client/cell.ts';
import { sanitize } from '../../../client/sanitize.ts';
import { hiddenInWords, nothingInWords } from '../../../client/words.ts';
import type { Mutation } from '../../../model/change.ts';
import { JsonText } from '../../../model/json.ts';
import { elementsOf } from '../../../model/json-members.ts';
import { listOptions, operationOption } from '../../arguments/options.ts';
import { openStates } from '../../arguments/session-argument.ts';
import { defineSessionCommand } from '../../define-command.ts';
import type { ListOptions } from '../../output/list.ts';
import { showList } from '../../output/list.ts';

interface Options extends ListOptions {
  readonly table?: string;
  readonly type?: string;
}

const columns = [
  { title: 'mutation' },
  { title: 'time' },
  { title: 'type' },
  { title: 'table' },
  { title: 'rows', align: 'right' },
  { title: 'query' },
  { title: 'parameters' },
  { title: 'role' },
  { title: 'statement', align: 'right' },
] as const;

export const logCommand = defineSessionCommand<Options>({
  description: 'List the statements that a session staged, oldest first.',
  options: [
    ['--table <table>', 'only this table'],
    operationOption('--type <type>', 'only this kind'),
    ...listOptions,
  ],
  examples: ['stage log', 'stage log --table orders --type update', 'stage log --all -o jsonl'],
  states: openStates,
  work: async ({ context, connection, id }, options) => {
    const { table, type } = options;
    const { status } = (await connection.api.getSession(id)).value;
    const none = status === 'rejected' ? nothingInWords(true) : 'Nothing there.';
    await showList(context, options, {
      columns,
      row: mutationRow,
      member: 'mutations',
      fetch: (page) => connection.api.listMutations(id, { table, type, ...page }),
      none,
    });
  },
});

const noParameters = new JsonText('[]');

function mutationRow(mutation: Mutation): string[] {
  const params = elementsOf(mutation.params ?? noParameters).map(
    (value, index) => `$${index + 1}=${valueCell(value)}`,
  );
  return [
    mutation.id,
    mutation.executedAt,
    mutation.type,
    tableCell(mutation.table),
    String(mutation.affectedRows),
    mutation.query === null ? hiddenInWords : sanitize(mutation.query),
    params.join(' '),
    roleInWords(mutation),
    mutation.statement ?? '',
  ];
}
