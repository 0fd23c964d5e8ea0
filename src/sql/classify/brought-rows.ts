/** Which writes may bring many rows, and have nothing about them that is done row by row. */
import type { Node, SelectStmt } from 'libpg-query';
import type { Right } from '../write.ts';

/** A VALUES of fewer rows is staged row by row: it costs no more. */
const manyRows = 50;

/**
 * Gives the place of the target of an INSERT whose rows can be staged as a set: those of a query from relations, or of a long VALUES.
 * RETURNING, ON CONFLICT and OVERRIDING ask for something about each row.
 */
export function placeOfBrought(query: Node, rights: readonly Right[]): number | null {
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

/** What a default is drawn from, only the server knows. */
const givesDefault = (list: Node) =>
  'List' in list && list.List.items?.some((item) => 'SetToDefault' in item) === true;
