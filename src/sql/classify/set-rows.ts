/** Determines which writes may insert or change many rows and need no row-by-row handling. */
import type { DeleteStmt, Node, SelectStmt, UpdateStmt } from 'libpg-query';
import { textsOf } from '../parser/syntax-tree.ts';
import type { ChangedRows, Right } from '../write.ts';

/** A VALUES with fewer rows is staged row by row, which costs no more. */
const manyRows = 50;

/**
 * Returns the position of the target of an INSERT whose rows can be staged as a set: those of a query over relations, or of a long VALUES.
 * Null with RETURNING, ON CONFLICT or OVERRIDING, which need handling per row, and with another write in the statement.
 */
export function placeOfInserted(query: Node, rights: readonly Right[]): number | null {
  const [right, ...others] = rights;
  if (!('InsertStmt' in query) || right === undefined || others.length > 0) return null;
  const { selectStmt, onConflictClause, returningClause } = query.InsertStmt;
  if (onConflictClause || returningClause || right.overriding) return null;
  const select = selectStmt && 'SelectStmt' in selectStmt ? selectStmt.SelectStmt : {};
  return mayBeMany(select) ? right.target : null;
}

function mayBeMany({ fromClause, valuesLists = [], larg, rarg }: SelectStmt): boolean {
  if (fromClause) return true;
  if (valuesLists.length >= manyRows) return !valuesLists.some(givesDefault);
  return [larg, rarg].some((half) => half !== undefined && mayBeMany(half));
}

/** Returns whether a row contains DEFAULT. Only the server knows how a default is computed. */
const givesDefault = (list: Node) =>
  'List' in list && list.List.items?.some((item) => 'SetToDefault' in item) === true;

/**
 * Returns the rows that an UPDATE or DELETE changes if they can be staged as a set. Null with RETURNING, which needs handling per row, with
 * DEFAULT, which only the server can compute, with `SET (a, b) = ...`, and with another write in the statement.
 */
export function changedRows(query: Node, rights: readonly Right[]): ChangedRows | null {
  const [right, ...others] = rights;
  const statement = changeOf(query);
  if (statement === null || right === undefined || others.length > 0) return null;
  const { relation, whereClause, returningClause } = statement;
  if (returningClause) return null;
  if (right.given.length < (right.columns?.length ?? 0)) return null;
  const hasSource = 'fromClause' in statement || 'usingClause' in statement;
  return {
    target: right.target,
    isNamed: relation?.alias !== undefined,
    fixed: hasSource ? [] : fixedColumns(whereClause),
  };
}

function changeOf(query: Node): UpdateStmt | DeleteStmt | null {
  if ('UpdateStmt' in query) {
    const isAssignedTogether = query.UpdateStmt.targetList?.some(
      (target) => 'ResTarget' in target && 'MultiAssignRef' in (target.ResTarget.val ?? {}),
    );
    return isAssignedTogether ? null : query.UpdateStmt;
  }
  return 'DeleteStmt' in query ? query.DeleteStmt : null;
}

/** Returns the columns that a condition compares with a value. */
function fixedColumns(condition: Node | undefined): string[] {
  if (!condition) return [];
  if ('BoolExpr' in condition) {
    const { boolop, args = [] } = condition.BoolExpr;
    return boolop === 'AND_EXPR' ? args.flatMap(fixedColumns) : [];
  }
  if (!('A_Expr' in condition) || condition.A_Expr.kind !== 'AEXPR_OP') return [];
  const { name, lexpr, rexpr } = condition.A_Expr;
  if (textsOf(name).join('.') !== '=') return [];
  return [columnName(lexpr), columnName(rexpr)].filter((column) => column !== null);
}

function columnName(expression: Node | undefined): string | null {
  if (!expression || !('ColumnRef' in expression)) return null;
  const last = expression.ColumnRef.fields?.at(-1);
  return last && 'String' in last ? (last.String.sval ?? null) : null;
}
