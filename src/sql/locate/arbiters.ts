/** Which unique indexes an ON CONFLICT clause means, inferred as PostgreSQL does: infer_arbiter_indexes in its planner. */
import { parseTree } from '../parser/parser.ts';
import type { Arbiter } from '../write.ts';
import { columnShape, shapeOf } from './upserts.ts';

/** A unique index or exclusion constraint, in PostgreSQL's own words. */
export interface UniqueIndex {
  readonly name: string;
  readonly kind: 'unique' | 'exclusion';
  readonly timing: 'immediate' | 'deferrable' | 'deferred';
  readonly elements: readonly { readonly column: string | null; readonly definition: string }[];
  readonly predicate: string | null;
  /** An index that was created as such is none. */
  readonly isConstraint: boolean;
}

/**
 * Gives the names of the indexes that count: null for all of them, none when PostgreSQL would find no fitting one.
 * A partial index fits when the clause repeats its predicate; that PostgreSQL would also take one that follows
 * from the clause's is beyond us.
 */
export function inferArbiters(
  arbiter: Arbiter,
  indexes: readonly UniqueIndex[],
): readonly string[] | null {
  if (arbiter.kind === 'any') return null;
  const fitting =
    arbiter.kind === 'constraint'
      ? indexes.filter(({ name, isConstraint }) => isConstraint && name === arbiter.name)
      : indexes.filter((index) => fits(index, arbiter));
  return fitting.map(({ name }) => name);
}

function fits(index: UniqueIndex, arbiter: Extract<Arbiter, { kind: 'index' }>): boolean {
  // a deferrable one fits, and is then refused when a row comes to it
  if (index.kind !== 'unique') return false;
  const shapes = new Set(
    index.elements.map(({ column, definition }) =>
      column === null ? expressionShape(definition) : columnShape(column),
    ),
  );
  const wanted = new Set(arbiter.elements);
  if (shapes.size !== wanted.size || ![...wanted].every((shape) => shapes.has(shape))) return false;
  return index.predicate === null || expressionShape(index.predicate) === arbiter.predicate;
}

/** The shape of an expression as PostgreSQL prints it. */
function expressionShape(expression: string): string {
  const statement = parseTree(Buffer.from(`SELECT ${expression}`)).stmts?.[0]?.stmt;
  const target =
    statement && 'SelectStmt' in statement ? statement.SelectStmt.targetList?.[0] : undefined;
  const value = target && 'ResTarget' in target ? target.ResTarget.val : undefined;
  return value === undefined ? '' : shapeOf(value);
}
