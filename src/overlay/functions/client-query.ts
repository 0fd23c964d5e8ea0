/** Calls of current_query(), such as by audit triggers: code that runs for a staged statement sees this as the client wrote it. */
import type { BodyReplacement } from '../../sql/functions/body-upserts.ts';
import type { BodyUses } from '../../sql/functions/body-uses.ts';
import { isWithin } from '../../sql/splice.ts';

/** Returns the replacements of such calls, except in ON CONFLICT clauses, which are cut out of the body. */
export function clientQueries({ called, upserts }: BodyUses): BodyReplacement[] {
  return called
    .filter(
      ({ schema, name }) => name === 'current_query' && (schema ?? 'pg_catalog') === 'pg_catalog',
    )
    .filter((call) => !upserts.some(({ clause }) => isWithin(call, clause)))
    .map(({ start, end }) => ({ start, end, text: 'stage.current_query' }));
}
