-- What a connection has prepared, and its cursors: without the service's own, and in the client's words where the proxy has told them. The
-- setting has them by the texts that were sent: {sent: written}. The columns are named one by one, so that a dump can be restored in another
-- major version; PostgreSQL 16 added result_types.
DO $do$
BEGIN
  EXECUTE format($view$
    CREATE OR REPLACE VIEW stage.pg_prepared_statements WITH (security_invoker = true) AS
    SELECT s.name, coalesce(nullif(pg_catalog.current_setting('stage.written', true), '')::pg_catalog.jsonb ->> s.statement, s.statement) AS statement,
      s.prepare_time, s.parameter_types, %s s.from_sql, s.generic_plans, s.custom_plans
    FROM pg_catalog.pg_prepared_statements s WHERE NOT pg_catalog.starts_with(s.name, '_stage_')
  $view$, CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 's.result_types,' END);
END $do$;

CREATE OR REPLACE VIEW stage.pg_cursors WITH (security_invoker = true) AS
SELECT s.name, coalesce(nullif(pg_catalog.current_setting('stage.written', true), '')::pg_catalog.jsonb ->> s.statement, s.statement) AS statement,
  s.is_holdable, s.is_binary, s.is_scrollable, s.creation_time
FROM pg_catalog.pg_cursors s WHERE NOT pg_catalog.starts_with(s.name, '_stage_');

GRANT SELECT ON stage.pg_prepared_statements, stage.pg_cursors TO PUBLIC;
