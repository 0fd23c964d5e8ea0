/** `stage resolve`: resolves conflicts of a session in place. */

import type { Side } from '../../../client/edits.ts';
import { settledInWords } from '../../../client/edits.ts';
import { conflictPlace } from '../../../client/place-words.ts';
import { sanitize } from '../../../client/sanitize.ts';
import { StageError } from '../../../errors.ts';
import { shownAs } from '../../../model/table.ts';
import { keyOf } from '../../arguments/row-key.ts';
import { resolveSession } from '../../arguments/session-argument.ts';
import { defineServerCommand } from '../../define-command.ts';
import { reportOutcome } from '../../output/session-text.ts';
import { withProgress } from '../../progress.ts';

interface Options {
  readonly mine?: true;
  readonly theirs?: true;
  readonly withDependents?: true;
}

export const resolveCommand = defineServerCommand<Options>({
  description:
    'Settle conflicts of an active session: of a column, a row, or all of them. Staged changes continue from the present rows of production. ' +
    'Reopen a proposed session first: stage reopen.',
  arguments: [
    ['[table]', 'table, as `stage check` shows it; all conflicts where it is left out'],
    ['[row]', 'key of the row; as JSON where it is not one number or word'],
    ['[column]', 'one column; all conflicts of the row where it is left out'],
  ],
  options: [
    ['--mine', "the session's value stands"],
    ['--theirs', "production's value stands"],
    ['--with-dependents', 'take out rows that depend on rows that are given up, too'],
  ],
  examples: [
    'stage resolve products 1 price --mine',
    'stage resolve products 3 --theirs',
    'stage resolve --theirs',
  ],
  work: async ({ context, connection }, options, table, row, column) => {
    const take = sideOf(options);
    const choice = choiceOf(table, row, column);
    const id = await resolveSession(context, connection, undefined);
    const { out } = context;
    const { body, value } = await withProgress(
      out,
      () => 'Settling conflicts',
      () => connection.api.resolve(id, take, choice, options.withDependents === true),
    );
    const { session, conflicts } = value;
    const next = conflicts.length === 0 ? 'stage diff, stage propose' : 'stage check';
    await reportOutcome(out, { body, value: session }, `${settledInWords(value)} Next: ${next}`);
    const places = new Set(conflicts.map(conflictPlace));
    for (const place of places) await out.note(`still in conflict: ${sanitize(place)}`);
  },
});

function sideOf({ mine, theirs }: Options): Side {
  if (mine !== theirs) return mine === true ? 'mine' : 'theirs';
  throw usage("whose value stands, the session's or production's?");
}

function choiceOf(table?: string, row?: string, column?: string) {
  if (table === undefined) return null;
  if (row === undefined) throw usage('a table alone is not enough: which of its rows?');
  return { table: shownAs(table), rowId: keyOf(row), field: column };
}

function usage(message: string): StageError {
  return new StageError('usage', message, {
    hint: 'Say it so: stage resolve products 1 price --mine, stage resolve --theirs',
  });
}
