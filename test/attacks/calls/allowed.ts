/** Effects that the documents allow. */
import type { RandomCall } from './random-call.ts';

/** What changes production's rows or its catalogs. */
const ofProduction = /^[-+] (?!lock|process|file|settings|loaded|pg_stat)/;

/**
 * Gives the effects of a call that no document allows. SECURITY.md, "Superusers and owners": "Owners of tables are trusted: their
 * triggers, defaults, constraints and functions run at approval, and constraints while staging". What they have defined changes no
 * rows all the same, but for "Connections that the server opens": "dblink [...] can write to production even when a read calls them".
 */
export function forbiddenEffects(
  { isDefined, made }: RandomCall,
  effects: readonly string[],
): readonly string[] {
  if (!isDefined) return effects;
  if (made.some((sql) => sql.includes('dblink'))) return [];
  return effects.filter((effect) => ofProduction.test(effect));
}
