/** Columns that may only be given DEFAULT: judged by the statement's text, for on a view PostgreSQL does not know. */
import { StageError } from '../errors.ts';
import type { Right } from '../sql/verdict.ts';
import type { ResolvedName } from './names.ts';

type Column = ResolvedName['columns'][number];

/** @throws StageError as PostgreSQL would, and for a DEFAULT that cannot be staged, unless PostgreSQL finds another fault in the statement's columns before */
export function checkGivenColumns(
  { operation, columns: named, given, overriding }: Right,
  { columns }: ResolvedName,
): void {
  const known = new Set(columns.map(({ name }) => name));
  if (named?.some((name, place) => !known.has(name) || named.indexOf(name) !== place)) return;
  for (const [place, column] of columns.entries()) {
    const isGiven = given.includes(column.name) || given.includes(place);
    if (isGiven && !mayBeGiven(column, overriding)) throw onlyDefault(operation, column);
    const isDrawn = operation === 'UPDATE' && column.always && named?.includes(column.name);
    if (isDrawn) throw drawnAnew(column);
  }
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

function onlyDefault(operation: Right['operation'], { name, generated }: Column): StageError {
  const isInsert = operation === 'INSERT';
  const message = isInsert
    ? `cannot insert a non-DEFAULT value into column "${name}"`
    : `column "${name}" can only be updated to DEFAULT`;
  const kind = generated ? 'a generated column' : 'an identity column defined as GENERATED ALWAYS';
  const hint = 'Use OVERRIDING SYSTEM VALUE to override.';
  return new StageError('statement_not_supported', message, {
    sqlstate: '428C9',
    detail: `Column "${name}" is ${kind}.`,
    ...(isInsert && !generated && { hint }),
  });
}
