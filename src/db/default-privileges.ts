/** Default privileges of the schemas whose functions clients call. */

/**
 * Returns the statement that lets everybody call the functions that are created in a schema, as PostgreSQL does unless default privileges of
 * the account or the database take that from PUBLIC. Functions that only the service may call are revoked one by one.
 */
export const executableByDefault = (schema: string): string =>
  `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT EXECUTE ON FUNCTIONS TO PUBLIC`;
