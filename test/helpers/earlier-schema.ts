/** Parts of the schema of earlier releases. Tests of an upgrade undo what later migrations made, and migrate again. */

/** Before an approval's entries were found by its positions. */
export const auditIndexes = `
DROP VIEW IF EXISTS stage.own_table;
DROP TABLE IF EXISTS stage.login, stage.token_use, stage.decision, stage.policy, stage.policy_head, stage.card, stage.proposed_rows,
  stage.staged_table, stage.rehearsal, stage.found_conflict;
UPDATE stage.session SET has_tables = false;
DROP INDEX stage.approval_project;
CREATE INDEX audit_session ON stage.audit (session, position); CREATE INDEX audit_project ON stage.audit (project_id, position);`;

/**
 * Before domains constrained the mutation log, before its columns for transaction and login, and before the index of a session's author.
 */
export const logChecks = `
DROP VIEW IF EXISTS stage.own_table;
DROP TABLE IF EXISTS stage.login, stage.token_use, stage.decision, stage.policy, stage.policy_head, stage.card, stage.proposed_rows,
  stage.staged_table, stage.rehearsal, stage.found_conflict;
UPDATE stage.session SET has_tables = false;
DROP INDEX stage.session_author;
ALTER TABLE stage.mutation DROP COLUMN transaction, DROP COLUMN login;
ALTER TABLE stage.mutation ALTER COLUMN operation TYPE text, ALTER COLUMN affected_rows TYPE bigint, ALTER COLUMN params TYPE jsonb,
  ADD CONSTRAINT mutation_operation_check CHECK (operation IN ('INSERT', 'UPDATE', 'DELETE')),
  ADD CONSTRAINT mutation_affected_rows_check CHECK (affected_rows > 0),
  ADD CONSTRAINT mutation_params_check CHECK (jsonb_typeof(params) = 'array');
DROP DOMAIN stage.operation, stage.row_count, stage.json_array;`;
