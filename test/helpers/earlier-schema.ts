/** What an earlier release's schema had: tests of an upgrade take back what has come since, and migrate once more. */

/** Before an approval's entries were found by its positions. */
export const auditIndexes = `
DROP INDEX stage.approval_project;
CREATE INDEX audit_session ON stage.audit (session, position); CREATE INDEX audit_project ON stage.audit (project_id, position);`;
