/** Columns that may only be given DEFAULT. On a view PostgreSQL does not know that, so it is classified by the statement's text. */
import { StageError } from '../errors.ts';
import type { Right } from '../sql/write.ts';
import type { ResolvedName } from './resolved-name.ts';

type Column = ResolvedName['columns'][number];

/**
 * Says whether something else is given to such a column: PostgreSQL's own error of the client's text tells it.
 * @throws StageError for a DEFAULT that cannot be staged, unless PostgreSQL finds a fault in the statement's columns before
 */
export function givesForbidden(
  { operation, columns: named, given, overriding }: Right,
  { columns }: ResolvedName,
): boolean {
  const known = new Set(columns.map(({ name }) => name));
  if (named?.some((name, place) => !known.has(name) || named.indexOf(name) !== place)) return false;
  for (const [place, column] of columns.entries()) {
    const isGiven = given.includes(column.name) || given.includes(place);
    if (isGiven && !mayBeGiven(column, overriding)) return true;
    const isDrawn = operation === 'UPDATE' && column.always && named?.includes(column.name);
    if (isDrawn) throw drawnAnew(column);
  }
  return false;
}

/** An approval could not repeat it: no UPDATE can give production's column the value that was drawn. */
function drawnAnew({ name }: Column): StageError {
  return new StageError(
    'statement_not_supported',
    `cannot stage an UPDATE of identity column "${name}", GENERATED ALWAYS, to DEFAULT`,
    { hint: 'Delete the row and insert it again.' },
  );
}

const mayBeGiven = ({ generated, always }: Column, overriding: Right['overriding']) =>
  !generated && (!always || overriding !== null);
