-- An approval's entries stand together: they are found by its positions. The more indexes an entry is written to, the longer approval
-- holds rows of production.
CREATE INDEX approval_project ON stage.approval (project_id, first_position);
DROP INDEX stage.audit_session;
DROP INDEX stage.audit_project;
