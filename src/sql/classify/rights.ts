/** Determines the privileges that a write needs on its target, and the columns to which it gives values. */
import type {
  ColumnRef,
  DeleteStmt,
  InsertStmt,
  MergeStmt,
  MergeWhenClause,
  Node,
  OnConflictClause,
  RangeVar,
  UpdateStmt,
} from 'libpg-query';
import { collectNodes, textsOf } from '../parser/syntax-tree.ts';
import type { Right } from '../write.ts';
import { overridingValue } from './overriding.ts';

type Given = Pick<Right, 'given' | 'star' | 'overriding'>;

type Needed = Omit<Right, 'target'>;

/** Returns the privilege that an INSERT needs on its target. */
export function insertRight(insert: InsertStmt): Needed {
  const { cols, onConflictClause, returningClause, relation } = insert;
  const named = namedByReturning(returningClause, relation);
  const returned = named.flatMap(({ name, of }) => (of === 'other' ? [] : [name]));
  // guard: an INSERT that returns columns, or names the index of ON CONFLICT, reads its target
  const reads = [...(onConflictClause?.infer ? ['*'] : []), ...readNames(named)];
  return {
    ...{ ...rightTo('INSERT', cols), ...givenByInsert(insert), reads },
    returned: returned.every((name) => name !== null) ? returned : null,
  };
}

/** Returns the privilege that the DO UPDATE of an INSERT needs. */
export const upsertRight = ({ targetList }: OnConflictClause): Needed => ({
  ...rightTo('UPDATE', targetList),
  ...givenBySet(targetList),
  reads: ['*'],
  returned: [],
});

/** Returns the privilege that an UPDATE or DELETE needs. Columns of its FROM count as those of its target. */
export function changeRight(
  operation: 'UPDATE' | 'DELETE',
  { targetList, whereClause, returningClause, relation }: UpdateStmt & DeleteStmt,
): Needed {
  const reads = readNames([
    ...namedIn([targetList, whereClause], [nameOfTarget(relation)]),
    ...namedByReturning(returningClause, relation),
  ]);
  return { ...rightTo(operation, targetList), ...givenBySet(targetList), reads, returned: [] };
}

/** Returns the privilege that the INSERT or UPDATE of a MERGE needs. */
export const actionRight = (
  operation: Right['operation'],
  clause: MergeWhenClause,
  merge: MergeStmt,
): Needed => ({
  ...rightTo(operation, clause.targetList),
  ...givenByAction(clause),
  // guard: an INSERT of a MERGE that returns rows reads its target
  reads: operation === 'UPDATE' || returnsColumns(merge) ? ['*'] : [],
  returned: [],
});

const returnsColumns = (merge: MergeStmt) =>
  merge.returningClause !== undefined && collectNodes(merge, 'ColumnRef').length > 0;

/**
 * Returns the operation with the columns of a target list or of an INSERT's column list; without such a list, an INSERT writes all columns.
 */
const rightTo = (operation: Right['operation'], columns: readonly Node[] | undefined) => ({
  operation,
  columns: columns ? namesOf(columns) : null,
});

/** A column that a part of a statement names, of the target or something else; the name is null for a whole row. */
interface NamedColumn {
  readonly name: string | null;
  readonly of: 'target' | 'other' | 'unknown';
}

const nameOfTarget = (relation: RangeVar | undefined): string =>
  relation?.alias?.aliasname ?? relation?.relname ?? '';

const namedByReturning = (clause: unknown, relation: RangeVar | undefined): NamedColumn[] =>
  namedIn(clause, [nameOfTarget(relation), 'old', 'new']);

/** @param target the names by which the part refers to the target */
function namedIn(part: unknown, target: readonly string[]): NamedColumn[] {
  return (collectNodes(part, 'ColumnRef') as ColumnRef[]).map(({ fields = [] }) => {
    const name = textsOf(fields.slice(-1))[0] ?? null;
    const qualifier = textsOf(fields.slice(0, -1)).at(-1);
    if (qualifier !== undefined)
      return { name, of: target.includes(qualifier) ? 'target' : 'other' };
    // guard: the name of the target alone stands for its whole row
    if (name !== null && target.includes(name)) return { name: null, of: 'target' };
    return { name, of: name === null ? 'target' : 'unknown' };
  });
}

/** Returns the names of columns that are read, as in `Right.reads`. */
function readNames(named: readonly NamedColumn[]): string[] {
  const names = named.map(({ name, of }) => (of === 'other' ? '' : of === 'target' ? '*' : name));
  return [...new Set(names.flatMap((name) => name ?? []))];
}

/** Returns the columns to which the SET list of an UPDATE gives values. */
function givenBySet(targets: readonly Node[] = []): Given {
  const given = targets.filter(
    (node) => !('ResTarget' in node && isDefault(assigned(node.ResTarget.val))),
  );
  return { given: namesOf(given), star: null, overriding: null };
}

/** Returns the columns to which an INSERT gives values in any of its rows. */
const givenByInsert = ({ cols, selectStmt, override }: InsertStmt): Given => ({
  ...givenByRows(selectStmt ? rowsOf(selectStmt) : [], cols),
  overriding: overridingValue(override) ?? null,
});

/** Returns the columns to which rows give values. */
function givenByRows(rows: readonly Node[][], columns: readonly Node[] | undefined) {
  const width = rows[0]?.length ?? 0;
  const stars = rows.map((row) => row.findIndex(isStar)).filter((place) => place >= 0);
  const star = columns || stars.length === 0 ? null : Math.min(...stars);
  const places = columns && width > 0 ? columns.length : (star ?? width);
  const given = Array.from({ length: places }, (_, index) => index).filter(
    (index) => !rows.every((row) => isDefault(row[index])),
  );
  return { given: atPlaces(given, columns), star };
}

/** Returns the values of each row of VALUES, or those of a query as one row. The first part of a UNION has as many as the others. */
function rowsOf(query: Node): readonly Node[][] {
  let select = 'SelectStmt' in query ? query.SelectStmt : {};
  while (select.larg) select = select.larg;
  const rows = select.valuesLists?.map((row) => ('List' in row ? (row.List.items ?? []) : []));
  return rows ?? [select.targetList ?? []];
}

/** Returns the columns to which the INSERT or UPDATE of a MERGE gives values. */
function givenByAction({ commandType, targetList, values, override }: MergeWhenClause): Given {
  if (commandType !== 'CMD_INSERT') return givenBySet(targetList);
  const given = givenByRows(values ? [values] : [], targetList);
  return { ...given, overriding: overridingValue(override) ?? null };
}

const namesOf = (columns: readonly Node[]): string[] =>
  columns.flatMap((node) =>
    'ResTarget' in node && node.ResTarget.name !== undefined ? [node.ResTarget.name] : [],
  );

const atPlaces = (places: readonly number[], columns: readonly Node[] | undefined) =>
  columns ? namesOf(places.flatMap((index) => columns[index] ?? [])) : places;

/** Returns the value that is assigned to one column. `SET (a, b) = (1, DEFAULT)` has a reference to the row per column. */
function assigned(value: Node | undefined): Node | undefined {
  if (!value || !('MultiAssignRef' in value)) return value;
  const { source, colno = 1 } = value.MultiAssignRef;
  return source && 'RowExpr' in source ? source.RowExpr.args?.[colno - 1] : value;
}

const isDefault = (value: Node | undefined) => value !== undefined && 'SetToDefault' in value;

/** Returns whether a value, or the value of a target, stands for several columns: `*`, `t.*`, `(f(1)).*`. */
function isStar(node: Node): boolean {
  const value = 'ResTarget' in node ? node.ResTarget.val : node;
  if (value && 'ColumnRef' in value) return hasStar(value.ColumnRef.fields);
  return (
    value !== undefined && 'A_Indirection' in value && hasStar(value.A_Indirection.indirection)
  );
}

const hasStar = (fields: readonly Node[] = []) => fields.some((field) => 'A_Star' in field);
