/** Infers the unique indexes of an ON CONFLICT clause, as infer_arbiter_indexes in PostgreSQL's planner does. */
import { parseTree } from '../parser/parser.ts';
import type { Arbiter } from '../write.ts';
import { columnShape, shapeOf } from './upserts.ts';

/** A unique index or exclusion constraint, as PostgreSQL prints it. */
export interface UniqueIndex {
  readonly name: string;
  readonly kind: 'unique' | 'exclusion';
  readonly timing: 'immediate' | 'deferrable' | 'deferred';
  readonly elements: readonly { readonly column: string | null; readonly definition: string }[];
  readonly predicate: string | null;
  /** Whether a constraint owns it. False for an index made by CREATE INDEX. */
  readonly isConstraint: boolean;
}

/**
 * Returns the names of the indexes that ON CONFLICT considers: null for all of them, an empty list if PostgreSQL would find no match. A
 * partial index matches if the clause repeats its predicate. PostgreSQL also accepts an index whose predicate the clause implies; this
 * function does not.
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
  // A deferrable index matches; it is refused later, when a row reaches it.
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

/** Returns the normalized form of an expression that PostgreSQL printed. */
function expressionShape(expression: string): string {
  const statement = parseTree(Buffer.from(`SELECT ${expression}`)).stmts?.[0]?.stmt;
  const target =
    statement && 'SelectStmt' in statement ? statement.SelectStmt.targetList?.[0] : undefined;
  const value = target && 'ResTarget' in target ? target.ResTarget.val : undefined;
  return value === undefined ? '' : shapeOf(value);
}
