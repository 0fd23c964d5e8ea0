/** `stage unstage`: removes staged rows from a session. */

import type { RowChoice } from '../../../client/edits.ts';
import { takenOutInWords } from '../../../client/edits.ts';
import { rowPlace } from '../../../client/place-words.ts';
import { StageError } from '../../../errors.ts';
import { shownAs } from '../../../model/table.ts';
import { keyOf } from '../../arguments/row-key.ts';
import { resolveSession } from '../../arguments/session-argument.ts';
import { defineServerCommand } from '../../define-command.ts';
import { reportOutcome } from '../../output/session-text.ts';
import { withProgress } from '../../progress.ts';

interface Options {
  readonly all?: true;
  readonly withDependents?: true;
}

export const unstageCommand = defineServerCommand<Options>({
  description:
    'Take rows out of an active session, as if they had never been staged. ' +
    'Ends with exit code 3, and changes nothing, when other staged rows depend on them.',
  arguments: [
    ['<table>', 'table, as the diff shows it'],
    ['[rows...]', 'keys of rows; as JSON where a key is not one number or word'],
  ],
  options: [
    ['--all', 'all rows of the table'],
    ['--with-dependents', 'take out the rows that depend on them, too'],
  ],
  examples: [
    'stage unstage products 3 7',
    'stage unstage order_lines \'{"order": 7, "line": 2}\'',
    'stage unstage customers 9 --with-dependents',
    'stage unstage products --all',
  ],
  work: async ({ context, connection }, { all, withDependents }, table, ...rows) => {
    const choices = choicesOf(shownAs(table ?? ''), rows, all === true);
    const id = await resolveSession(context, connection, undefined);
    const { out } = context;
    const { body, value } = await withProgress(
      out,
      () => 'Taking rows out',
      () => connection.api.unstage(id, choices, withDependents === true),
    );
    await reportOutcome(
      out,
      { body, value: value.session },
      `${takenOutInWords(value)} See what is left: stage diff`,
    );
    for (const row of value.dependents) await out.note(`taken out, too: ${rowPlace(row)}`);
  },
});

function choicesOf(table: string, rows: readonly string[], isWhole: boolean): RowChoice[] {
  if (isWhole === rows.length > 0) {
    throw new StageError('usage', 'either rows are named, or all of the table are meant', {
      hint: 'Name rows by their keys: stage unstage products 3 7; or say --all: stage unstage products --all',
    });
  }
  return isWhole ? [{ table }] : rows.map((row) => ({ table, rowId: keyOf(row) }));
}
