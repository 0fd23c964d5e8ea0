/** Determines which names in a query refer to CTEs. */
import type { CommonTableExpr } from 'libpg-query';

/** The CTE names that a part of a query sees, innermost first. */
export type Scope = {
  readonly name: string;
  /** Whether it inserts, updates, deletes or merges. */
  readonly writes: boolean;
  readonly outer: Scope;
} | null;

/** Returns the scope after a CTE. */
export function scopeWith(outer: Scope, { ctename = '', ctequery }: CommonTableExpr): Scope {
  return { name: ctename, writes: ctequery !== undefined && !('SelectStmt' in ctequery), outer };
}

/** Returns whether a name is that of a WITH query in scope. */
export function isInScope(name: string | undefined, scope: Scope): boolean {
  for (let cte = scope; cte; cte = cte.outer) if (cte.name === name) return true;
  return false;
}

/** Returns whether any of the CTEs writes. */
export function hasWriter(scope: Scope): boolean {
  for (let cte = scope; cte; cte = cte.outer) if (cte.writes) return true;
  return false;
}
