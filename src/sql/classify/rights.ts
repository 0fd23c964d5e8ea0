/** Determines the privileges that a write needs on its target, and the columns to which it gives values. */
import type {
  DeleteStmt,
  InsertStmt,
  MergeStmt,
  MergeWhenClause,
  Node,
  OnConflictClause,
  UpdateStmt,
} from 'libpg-query';
import { collectNodes } from '../parser/syntax-tree.ts';
import type { Right } from '../write.ts';
import { overridingValue } from './overriding.ts';

type Given = Pick<Right, 'given' | 'overriding'>;

type Needed = Omit<Right, 'target'>;

/** Returns the privilege that an INSERT needs on its target. */
export function insertRight(insert: InsertStmt): Needed {
  const { cols, onConflictClause, returningClause } = insert;
  // guard: an INSERT that returns columns, or names the index of ON CONFLICT, reads its target
  const reads = onConflictClause?.infer !== undefined || hasColumns(returningClause);
  return { ...rightTo('INSERT', cols), ...givenByInsert(insert), reads };
}

/** Returns the privilege that the DO UPDATE of an INSERT needs. */
export const upsertRight = ({ targetList }: OnConflictClause): Needed => ({
  ...rightTo('UPDATE', targetList),
  ...givenBySet(targetList),
  reads: true,
});

/** Returns the privilege that an UPDATE or DELETE needs. Columns of its FROM count as those of its target. */
export function changeRight(
  operation: 'UPDATE' | 'DELETE',
  { targetList, whereClause, returningClause }: UpdateStmt & DeleteStmt,
): Needed {
  const reads = hasColumns([targetList, whereClause, returningClause]);
  return { ...rightTo(operation, targetList), ...givenBySet(targetList), reads };
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
  reads: operation === 'UPDATE' || (merge.returningClause !== undefined && hasColumns(merge)),
});

/**
 * Returns the operation with the columns of a target list or of an INSERT's column list; without such a list, an INSERT writes all columns.
 */
const rightTo = (operation: Right['operation'], columns: readonly Node[] | undefined) => ({
  operation,
  columns: columns ? namesOf(columns) : null,
});

const hasColumns = (part: unknown) => collectNodes(part, 'ColumnRef').length > 0;

/** Returns the columns to which the SET list of an UPDATE gives values. */
function givenBySet(targets: readonly Node[] = []): Given {
  const given = targets.filter(
    (node) => !('ResTarget' in node && isDefault(assigned(node.ResTarget.val))),
  );
  return { given: namesOf(given), overriding: null };
}

/** Returns the columns to which an INSERT gives values in any of its rows. */
function givenByInsert({ cols, selectStmt, override }: InsertStmt): Given {
  const select = selectStmt && 'SelectStmt' in selectStmt ? selectStmt.SelectStmt : {};
  const rows = select.valuesLists?.map((row) => ('List' in row ? (row.List.items ?? []) : []));
  const width = rows?.[0]?.length ?? select.targetList?.length ?? 0;
  // A star expands to any number of columns, so without a column list their positions are unknown.
  const places = rows || cols || !select.targetList?.some(isStar) ? (cols?.length ?? width) : 0;
  const given = Array.from({ length: selectStmt ? places : 0 }, (_, index) => index).filter(
    (index) => !rows?.every((row) => isDefault(row[index])),
  );
  return { given: atPlaces(given, cols), overriding: overridingValue(override) ?? null };
}

/** Returns the columns to which the INSERT or UPDATE of a MERGE gives values. */
function givenByAction({ commandType, targetList, values, override }: MergeWhenClause): Given {
  if (commandType !== 'CMD_INSERT') return givenBySet(targetList);
  const given = (values ?? []).flatMap((value, index) => (isDefault(value) ? [] : [index]));
  return { given: atPlaces(given, targetList), overriding: overridingValue(override) ?? null };
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

function isStar(node: Node): boolean {
  const value = 'ResTarget' in node ? node.ResTarget.val : undefined;
  const fields = value && 'ColumnRef' in value ? value.ColumnRef.fields : [];
  return fields?.some((field) => 'A_Star' in field) ?? false;
}
