/** The schemas that client statements must not write to, and those of temporary tables. */
import type { RangeVar } from 'libpg-query';
import { internalSchemas } from '../../model/internal-schemas.ts';

const own = new RegExp(internalSchemas);

/** Returns whether a schema belongs to the staging service. */
export function isInternalSchema(schema: string): boolean {
  return own.test(schema);
}

/** Returns whether a schema belongs to PostgreSQL. Users cannot create schemas with its prefix. */
export function isSystemSchema(schema: string): boolean {
  return (
    schema === 'information_schema' || (schema.startsWith('pg_') && !isTemporarySchema(schema))
  );
}

/** Returns whether a name creates a temporary object. */
export function isTemporaryName(range?: RangeVar): boolean {
  return range?.relpersistence === 't' || range?.schemaname === 'pg_temp';
}

/** Returns whether a schema contains temporary tables. */
function isTemporarySchema(schema: string): boolean {
  return /^pg_(?:toast_)?temp(?:_\d+)?$/.test(schema);
}
