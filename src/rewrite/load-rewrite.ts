/** Rewrites a write whose rows are staged as a set: it targets the load view or the changes view instead of the overlay. */
import { qualifiedName, quoteIdentifier } from '../identifier.ts';
import { columnList, loadTableName } from '../overlay/object-names.ts';
import type { Replacement } from '../sql/splice.ts';
import { isSameRange } from '../sql/splice.ts';
import type { ChangedRows, CopyWrite, QueryWrite, Right, Write } from '../sql/write.ts';
import type { ResolvedName } from './resolved-name.ts';
import type { Named } from './stageable.ts';
import { hasChildren } from './stageable.ts';

interface Loadable {
  readonly replacements: readonly Replacement[];
  readonly hasTripwire: boolean;
  readonly isSet: boolean;
}

/** Returns the rewrite that stages the rows of a write as a set; the given one if they are staged row by row. */
export function loaded<Made extends Loadable>(
  rewrite: Made,
  write: Write,
  named: readonly Named[],
): Made {
  // a statement that runs users' code has the tripwire, and is staged row by row
  if (rewrite.hasTripwire || write.form === 'truncate' || write.form === 'definition')
    return rewrite;
  // a rule may evaluate a SELECT more than once, which would lock other rows
  if (write.form === 'query' && write.lockingParts.length > 0) return rewrite;
  const load = write.form === 'copy' ? copyTarget(write, named) : queryTarget(write, named);
  if (load === null) return rewrite;
  const replacements = rewrite.replacements.map((each) => (isSameRange(each, load) ? load : each));
  return { ...rewrite, replacements, isSet: true };
}

const queryTarget = (write: QueryWrite, named: readonly Named[]): Replacement | null =>
  write.changes ? changeTarget(write, write.changes, named) : insertTarget(write, named);

/**
 * Returns the replacement of the target of an UPDATE or DELETE, or null. A row identified by its key is likely staged again, so it is
 * staged individually.
 */
function changeTarget(
  { rights, qualifiers }: QueryWrite,
  { target: place, isNamed, fixed }: ChangedRows,
  named: readonly Named[],
): Replacement | null {
  const target = named.find(({ use }) => use.start === place);
  const load = target?.meaning.load ?? null;
  if (target === undefined || load === null || load.changes === null) return null;
  // columns with schema and table refer to the overlay, and the rows of children are staged in the children
  if (qualifiers.length > 0 || hasChildren(target)) return null;
  const { start, end, name } = target.use;
  if (target.meaning.key.every((column) => fixed.includes(column))) return null;
  const isChanged = ({ columns }: Right) =>
    columns?.every((column) => load.updatable.includes(column)) ?? load.isDeletable;
  if (!rights.every(isChanged)) return null;
  const alias = isNamed ? '' : ` AS ${quoteIdentifier(name)}`;
  return { start, end, text: qualifiedName('stage', load.changes) + alias };
}

/** Returns the replacement of an INSERT's target, or null. Without a column list, only the first column is known to have a value. */
function insertTarget(
  { inserts, rights }: QueryWrite,
  named: readonly Named[],
): Replacement | null {
  const target = named.find(({ use }) => use.start === inserts);
  const load = target?.meaning.load ?? null;
  if (target === undefined || load === null) return null;
  const isGiven = (name: string, index: number) =>
    rights.every(({ columns }) => columns?.includes(name) ?? index === 0);
  if (mayDraw(target.meaning, isGiven)) return null;
  const { start, end } = target.use;
  return { start, end, text: qualifiedName(load.schema, load.name) };
}

/** Returns the replacement of a COPY's target, or null. A WHERE may refer to the table by its name, and a notice reports skipped lines. */
function copyTarget(
  { columns, where, skipsErrors, marksDefaults }: CopyWrite,
  [target]: readonly Named[],
): Replacement | null {
  const oid = target?.meaning.oid ?? null;
  if (target === undefined || oid === null || target.meaning.load === null) return null;
  if (where !== null || skipsErrors) return null;
  const isGiven = (name: string) => !marksDefaults && (columns?.includes(name) ?? true);
  if (mayDraw(target.meaning, isGiven)) return null;
  const { start, end } = target.use;
  const all = target.meaning.columns.map(({ name }) => name);
  const list = columns === null ? ` (${columnList(all)})` : '';
  return { start, end, text: loadTableName({ oid }) + list };
}

/** Returns whether a sequence may be advanced. A statement that is run again would advance it twice. */
const mayDraw = (
  { columns }: ResolvedName,
  isGiven: (name: string, index: number) => boolean,
): boolean => columns.some(({ name, drawn }, index) => drawn && !isGiven(name, index));
