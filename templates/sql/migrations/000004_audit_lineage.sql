-- The diff of an approved session is read by the page.
CREATE INDEX audit_lineage ON stage.audit (session, relation, lineage, position);
