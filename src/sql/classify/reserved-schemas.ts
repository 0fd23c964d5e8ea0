/** Schemas that no client statement may write to, and those of temporary tables. */
import type { RangeVar } from 'libpg-query';

const own = /^stage(?:_data|_(?:overlay|upsert|load|tree|function)_\d+)?$/;

/** Whether a schema belongs to the staging service itself. */
export function isOwnSchema(schema: string): boolean {
  return own.test(schema);
}

/** Whether a schema belongs to PostgreSQL. The prefix is reserved: nobody can create a schema that begins so. */
export function isSystemSchema(schema: string): boolean {
  return (
    schema === 'information_schema' || (schema.startsWith('pg_') && !isTemporarySchema(schema))
  );
}

/** Whether what is created by a name is temporary. */
export function isTemporaryName(range?: RangeVar): boolean {
  return range?.relpersistence === 't' || range?.schemaname === 'pg_temp';
}

/** Whether a schema holds temporary tables. */
function isTemporarySchema(schema: string): boolean {
  return /^pg_(?:toast_)?temp(?:_\d+)?$/.test(schema);
}
