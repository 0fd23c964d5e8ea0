/** Checks the columns that a COPY fills and the values that its data may have for them, which PostgreSQL does not check on a view. */
import { StageError } from '../errors.ts';
import { quoteIdentifier } from '../identifier.ts';
import type { CopyWrite } from '../sql/write.ts';
import type { ResolvedName } from './resolved-name.ts';
import type { Named } from './stageable.ts';

/** Returns the columns of a COPY without a list; null if these are all columns of the view. */
export function impliedColumns({ columns }: ResolvedName): string | null {
  if (!columns.some(({ generated }) => generated)) return null;
  const given = columns.filter(({ generated }) => !generated);
  return given.map(({ name }) => quoteIdentifier(name)).join(', ');
}

/** Returns whether a relation can be copied out: it is a table with each of the listed columns, and none is listed twice. */
export function canBeCopied(listed: readonly string[], { kind, columns }: ResolvedName): boolean {
  const given = columns.filter(({ generated }) => !generated).map(({ name }) => name);
  const isGivenOnce = (name: string, index: number) =>
    given.includes(name) && listed.indexOf(name) === index;
  return kind === 'table' && listed.every(isGivenOnce);
}

/**
 * Returns whether PostgreSQL refuses a COPY for its WHERE when it runs.
 * @throws StageError as `checkCopyColumns` does
 */
export function isRefusedCopy(write: CopyWrite, [target]: readonly Named[]): boolean {
  if (target === undefined) return false;
  if (filteredColumn(write, target.use.name, target.meaning) !== undefined) return true;
  checkCopyColumns(write, target.meaning);
  return false;
}

/**
 * Checks the column list of a COPY.
 * @throws StageError for a generated column, unless PostgreSQL finds another error in the list first; and if lines that violate a domain
 * would be skipped, because a view reports the violation too late
 */
function checkCopyColumns(
  { columns: named, skipsErrors }: CopyWrite,
  { columns }: ResolvedName,
): void {
  if (skipsErrors && columns.some(({ domain }) => domain)) throw domainErrors;
  for (const [index, name] of (named ?? []).entries()) {
    const column = columns.find((each) => each.name === name);
    if (column === undefined || named?.indexOf(name) !== index) return;
    if (column.generated) throw generatedColumn(name);
  }
}

/**
 * Returns the generated column that the WHERE of a COPY uses, by its name or in a whole row; undefined if there is none. The view could
 * compute its value, but in PostgreSQL it does not exist yet.
 * @param table the table's name, which a whole-row reference uses
 */
export function filteredColumn(
  { filters }: CopyWrite,
  table: string,
  { columns }: ResolvedName,
): string | undefined {
  const [first] = columns.filter(({ generated }) => generated);
  for (const name of filters) {
    const column = columns.find((each) => each.name === name);
    if (column?.generated) return name;
    if (column === undefined && name === table && first !== undefined) return first.name;
  }
  return undefined;
}

/** Returns PostgreSQL's error for a COPY whose WHERE uses a generated column. */
export function filtersByGenerated(column: string): StageError {
  return new StageError(
    'statement_not_supported',
    'generated columns are not supported in COPY FROM WHERE conditions',
    { sqlstate: '42P10', detail: `Column "${column}" is a generated column.` },
  );
}

/**
 * Returns the settings of a COPY, which control how the row trigger treats an ALWAYS identity column. `given` uses the value in the data,
 * including null; `system` generates a key if there is none.
 */
export function copyOptions(
  { columns: named, marksDefaults }: CopyWrite,
  [target]: readonly Named[],
): Readonly<Record<string, string>> {
  if (target === undefined) return {};
  const { table, columns } = target.meaning;
  const identity = columns.find(({ always }) => always);
  const isGiven = identity !== undefined && (named?.includes(identity.name) ?? true);
  return { [`stage.overriding_${table}`]: isGiven && !marksDefaults ? 'given' : 'system' };
}

const domainErrors = new StageError(
  'statement_not_supported',
  'COPY with ON_ERROR into a table with columns of a domain cannot be staged',
  { hint: 'Leave ON_ERROR out, and remove the wrong lines.' },
);

function generatedColumn(name: string): StageError {
  return new StageError('statement_not_supported', `column "${name}" is a generated column`, {
    sqlstate: '42P10',
    detail: 'Generated columns cannot be used in COPY.',
  });
}
