/** A write whose rows are staged as a set: they are put in or changed where those of a set are, and not in the overlay. */
import { qualifiedName, quoteIdentifier } from '../db/identifier.ts';
import { columnList, loadTableName } from '../overlay/object-names.ts';
import type { Replacement } from '../sql/splice.ts';
import { isSameRange } from '../sql/splice.ts';
import type { ChangedRows, CopyWrite, QueryWrite, Right, Write } from '../sql/write.ts';
import type { ResolvedName } from './resolved-name.ts';
import type { Named } from './stageable.ts';
import { hasChildren } from './stageable.ts';

interface Loadable {
  readonly replacements: readonly Replacement[];
  readonly isWatched: boolean;
  readonly isSet: boolean;
}

/** Gives the rewrite that stages the rows of a write as a set; the same one where they are staged one by one. */
export function loaded<Made extends Loadable>(
  rewrite: Made,
  write: Write,
  named: readonly Named[],
): Made {
  // what runs user code is watched, and staged row by row
  if (rewrite.isWatched || write.form === 'truncate' || write.form === 'definition') return rewrite;
  const load = write.form === 'copy' ? copyTarget(write, named) : queryTarget(write, named);
  if (load === null) return rewrite;
  const replacements = rewrite.replacements.map((each) => (isSameRange(each, load) ? load : each));
  return { ...rewrite, replacements, isSet: true };
}

const queryTarget = (write: QueryWrite, named: readonly Named[]): Replacement | null =>
  write.changes ? changeTarget(write, write.changes, named) : insertTarget(write, named);

/**
 * What takes the target's place in an UPDATE or DELETE, or null. A row that is named by its key is staged by itself: it may well be
 * staged again.
 */
function changeTarget(
  { rights, qualifiers }: QueryWrite,
  { target: place, isNamed, fixed }: ChangedRows,
  named: readonly Named[],
): Replacement | null {
  const target = named.find(({ use }) => use.start === place);
  const load = target?.meaning.load ?? null;
  if (target === undefined || load === null || load.changes === null) return null;
  // columns that are called by schema and table are the overlay's, and the rows of children are staged in these
  if (qualifiers.length > 0 || hasChildren(target)) return null;
  const { start, end, name } = target.use;
  if (target.meaning.key.every((column) => fixed.includes(column))) return null;
  const isChanged = ({ columns }: Right) =>
    columns?.every((column) => load.updatable.includes(column)) ?? load.isDeletable;
  if (!rights.every(isChanged)) return null;
  const alias = isNamed ? '' : ` AS ${quoteIdentifier(name)}`;
  return { start, end, text: qualifiedName('stage', load.changes) + alias };
}

/** What takes the target's place in an INSERT, or null. Without a list of columns only the first one is sure to be given. */
function insertTarget({ brings, rights }: QueryWrite, named: readonly Named[]): Replacement | null {
  const target = named.find(({ use }) => use.start === brings);
  const load = target?.meaning.load ?? null;
  if (target === undefined || load === null) return null;
  const isGiven = (name: string, index: number) =>
    rights.every(({ columns }) => columns?.includes(name) ?? index === 0);
  if (mayDraw(target.meaning, isGiven)) return null;
  const { start, end } = target.use;
  return { start, end, text: qualifiedName(load.schema, load.name) };
}

/** What takes the target's place in a COPY, or null: a WHERE may call the table by its name, and lines left out are told in a notice. */
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

/** Whether numbers may be drawn: a statement that has to be run again would draw them twice. */
const mayDraw = (
  { columns }: ResolvedName,
  isGiven: (name: string, index: number) => boolean,
): boolean => columns.some(({ name, drawn }, index) => drawn && !isGiven(name, index));
