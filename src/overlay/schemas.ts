/** The schemas that hold the views of overlays: three for each schema of production, and one for its inheritance trees. */
import type { Queryable } from '../db/database.ts';
import { executableByDefault } from '../db/default-privileges.ts';
import { StageError } from '../errors.ts';
import { loadSchema, overlaySchema, upsertSchema } from './object-names.ts';

/**
 * Creates the schemas for the overlay of a table, a view or a partition.
 * @throws StageError `statement_not_supported` when a schema of that name has another owner, who could replace the service's views
 */
export async function makeSchemas(
  tx: Queryable,
  relation: Parameters<typeof overlaySchema>[0],
): Promise<void> {
  for (const schema of [overlaySchema(relation), upsertSchema(relation), loadSchema(relation)]) {
    await makeSchema(tx, schema);
  }
}

/**
 * Creates one of the service's schemas that clients may use.
 * @throws StageError as above
 */
export async function makeSchema(tx: Queryable, schema: string): Promise<void> {
  await tx.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  const [row] = await tx.query(
    `SELECT stage.is_internal_schema(n.oid) AS own, has_schema_privilege('public', n.oid, 'USAGE') AS usable
     FROM pg_namespace n WHERE n.oid = to_regnamespace($1)`,
    [schema],
  );
  // guard: no overlay is made in somebody else's schema
  if (row?.['own'] !== 't') throw takenSchema(schema);
  // a GRANT on a schema makes PostgreSQL plan all statements anew, on every connection to the database
  if (row['usable'] === 't') return;
  await tx.query(`GRANT USAGE ON SCHEMA ${schema} TO PUBLIC`);
  await tx.query(executableByDefault(schema));
}

function takenSchema(schema: string): StageError {
  return new StageError(
    'statement_not_supported',
    `the schema "${schema}" does not belong to the staging service`,
    { hint: "Schemas of that name are the service's: rename it or drop it." },
  );
}
