/** Which names in a query mean CTEs. */

/** The names of the CTEs that a part of a query sees, innermost first. */
export type Scope = { readonly name: string; readonly outer: Scope } | null;

export function isInScope(name: string | undefined, scope: Scope): boolean {
  for (let cte = scope; cte; cte = cte.outer) if (cte.name === name) return true;
  return false;
}
