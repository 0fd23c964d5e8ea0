/** Schemas that no client statement may write to. */

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

/** Whether a schema holds temporary tables. */
export function isTemporarySchema(schema: string): boolean {
  return /^pg_(?:toast_)?temp(?:_\d+)?$/.test(schema);
}
