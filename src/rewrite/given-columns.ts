/** Checks columns that accept only DEFAULT. PostgreSQL does not check that on a view, so the statement's text decides. */
import { StageError } from '../errors.ts';
import type { Right, Write } from '../sql/write.ts';
import type { ResolvedName } from './resolved-name.ts';
import type { Named } from './stageable.ts';
import { meaningAt } from './stageable.ts';

type Column = ResolvedName['columns'][number];

/**
 * Returns whether the statement gives such a column another value. PostgreSQL then reports the error for the client's own text.
 * @throws StageError for a DEFAULT that cannot be staged, unless PostgreSQL finds an error in the statement's columns first
 */
export const isMistaken = ({ rights }: Write, named: readonly Named[]): boolean =>
  rights.some((right) => givesForbidden(right, meaningAt(named, right.target)));

function givesForbidden(
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

/** Returns the error for a new identity value. An approval could not repeat it: no UPDATE can set production's column to a given value. */
function drawnAnew({ name }: Column): StageError {
  return new StageError(
    'statement_not_supported',
    `cannot stage an UPDATE of identity column "${name}", GENERATED ALWAYS, to DEFAULT`,
    { hint: 'Delete the row and insert it again.' },
  );
}

const mayBeGiven = ({ generated, always }: Column, overriding: Right['overriding']) =>
  !generated && (!always || overriding !== null);
