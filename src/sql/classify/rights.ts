/** Determines the privileges that a write needs on its target, and the columns to which it gives values. */
import type { InsertStmt, MergeWhenClause, Node } from 'libpg-query';
import type { Right } from '../write.ts';
import { overridingValue } from './overriding.ts';

type Given = Pick<Right, 'given' | 'overriding'>;

/**
 * Returns the privilege to write the columns of a target list or of an INSERT's column list.
 * @param columns undefined for an INSERT without a list, which writes all columns
 */
export function rightTo(
  operation: Right['operation'],
  columns: readonly Node[] | undefined,
  given: Given,
): Omit<Right, 'target'> {
  return { operation, columns: columns ? namesOf(columns) : null, ...given };
}

/** Returns the privilege for the SET list of an UPDATE, or for a DELETE, which has none. */
export const rightToSet = (
  operation: Right['operation'],
  columns: readonly Node[] | undefined,
): Omit<Right, 'target'> => rightTo(operation, columns, givenBySet(columns));

/** Returns the columns to which the SET list of an UPDATE gives values. */
function givenBySet(targets: readonly Node[] = []): Given {
  const given = targets.filter(
    (node) => !('ResTarget' in node && isDefault(assigned(node.ResTarget.val))),
  );
  return { given: namesOf(given), overriding: null };
}

/** Returns the columns to which an INSERT gives values in any of its rows. */
export function givenByInsert({ cols, selectStmt, override }: InsertStmt): Given {
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
export function givenByAction({
  commandType,
  targetList,
  values,
  override,
}: MergeWhenClause): Given {
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
