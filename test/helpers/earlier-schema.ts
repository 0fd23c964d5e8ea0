/** What an earlier release's schema had: tests of an upgrade take back what has come since, and migrate once more. */

/** Before an approval's entries were found by its positions. */
export const auditIndexes = `
DROP TABLE IF EXISTS stage.login;
DROP INDEX stage.approval_project;
CREATE INDEX audit_session ON stage.audit (session, position); CREATE INDEX audit_project ON stage.audit (project_id, position);`;

/** Before domains said what the mutation log holds, columns by which transaction and login, and an index of whose sessions. */
export const logChecks = `
DROP TABLE IF EXISTS stage.login;
DROP INDEX stage.session_author;
ALTER TABLE stage.mutation DROP COLUMN transaction, DROP COLUMN login;
ALTER TABLE stage.mutation ALTER COLUMN operation TYPE text, ALTER COLUMN affected_rows TYPE bigint, ALTER COLUMN params TYPE jsonb,
  ADD CONSTRAINT mutation_operation_check CHECK (operation IN ('INSERT', 'UPDATE', 'DELETE')),
  ADD CONSTRAINT mutation_affected_rows_check CHECK (affected_rows > 0),
  ADD CONSTRAINT mutation_params_check CHECK (jsonb_typeof(params) = 'array');
DROP DOMAIN stage.operation, stage.row_count, stage.json_array;`;
