/** Which columns a COPY fills, and what its data may give for them: on a view PostgreSQL does not know. */
import { quoteIdentifier } from '../db/identifier.ts';
import { StageError } from '../errors.ts';
import type { CopyWrite } from '../sql/write.ts';
import type { ResolvedName } from './resolved-name.ts';
import type { Named } from './stageable.ts';

/** The columns that a COPY without a list takes; null where these are all that the view has. */
export function impliedColumns({ columns }: ResolvedName): string | null {
  if (!columns.some(({ generated }) => generated)) return null;
  const given = columns.filter(({ generated }) => !generated);
  return given.map(({ name }) => quoteIdentifier(name)).join(', ');
}

/** Whether a relation can be copied out: it is a table, whose rows give each of the listed columns, and none is listed twice. */
export function canBeCopied(listed: readonly string[], { kind, columns }: ResolvedName): boolean {
  const given = columns.filter(({ generated }) => !generated).map(({ name }) => name);
  const isGivenOnce = (name: string, index: number) =>
    given.includes(name) && listed.indexOf(name) === index;
  return kind === 'table' && listed.every(isGivenOnce);
}

/**
 * Whether PostgreSQL refuses a COPY for its WHERE, once it is run.
 * @throws StageError as `checkCopyColumns` does
 */
export function isRefusedCopy(write: CopyWrite, [target]: readonly Named[]): boolean {
  if (target === undefined) return false;
  if (filteredColumn(write, target.use.name, target.meaning) !== undefined) return true;
  checkCopyColumns(write, target.meaning);
  return false;
}

/**
 * @throws StageError for a generated column, unless PostgreSQL finds another fault in the list before it; and where it would
 * leave lines out for what a domain says, which on a view is not known before
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
 * The generated column that the WHERE of a COPY looks at, by its name or in a whole row, or none: the view would know its
 * value, but in PostgreSQL it is not there yet.
 * @param table the table's name, as a whole row is written
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

/** PostgreSQL's error for a COPY whose WHERE looks at a generated column. */
export function filtersByGenerated(column: string): StageError {
  return new StageError(
    'statement_not_supported',
    'generated columns are not supported in COPY FROM WHERE conditions',
    { sqlstate: '42P10', detail: `Column "${column}" is a generated column.` },
  );
}

/**
 * The settings of a COPY: how the row trigger treats an ALWAYS identity column. `given` takes what the data has, null
 * included; `system` draws a key where there is none.
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
