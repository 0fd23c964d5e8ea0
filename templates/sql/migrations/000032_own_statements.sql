-- What a connection has prepared, and its cursors: without the service's own, and in the client's words where the proxy has told them. The
-- setting has them by the texts that were sent: {sent: written}.
CREATE OR REPLACE VIEW stage.pg_prepared_statements WITH (security_invoker = true) AS
SELECT r.* FROM pg_catalog.pg_prepared_statements s CROSS JOIN LATERAL pg_catalog.jsonb_populate_record(s, pg_catalog.jsonb_build_object(
  'statement', coalesce(nullif(pg_catalog.current_setting('stage.written', true), '')::pg_catalog.jsonb ->> s.statement, s.statement))) r
WHERE NOT pg_catalog.starts_with(s.name, '_stage_');

CREATE OR REPLACE VIEW stage.pg_cursors WITH (security_invoker = true) AS
SELECT r.* FROM pg_catalog.pg_cursors s CROSS JOIN LATERAL pg_catalog.jsonb_populate_record(s, pg_catalog.jsonb_build_object(
  'statement', coalesce(nullif(pg_catalog.current_setting('stage.written', true), '')::pg_catalog.jsonb ->> s.statement, s.statement))) r
WHERE NOT pg_catalog.starts_with(s.name, '_stage_');

GRANT SELECT ON stage.pg_prepared_statements, stage.pg_cursors TO PUBLIC;
