-- Lists what a client's role ($1) could do around the proxy: one row for each fault and its subject.
-- Filled in src/daemon/doctor/examine.ts: `is_internal` is the condition that schema n is the service's own.
WITH client AS (
  SELECT * FROM pg_roles WHERE rolname = $1
), ordinary AS (
  -- a superuser may do everything: that is one finding, not a thousand
  SELECT * FROM client WHERE NOT rolsuper
), able AS (
  -- the role itself, and those that it can become by SET ROLE, whether it inherits from them or not
  SELECT m.oid FROM ordinary c JOIN pg_roles m ON pg_has_role(c.oid, m.oid, 'MEMBER') AND NOT m.rolsuper
), namespace AS (
  SELECT n.* FROM pg_namespace n WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND NOT {{is_internal}}
), relation AS (
  SELECT c.*, c.oid::regclass::text AS name FROM pg_class c JOIN namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
)
SELECT 'client_superuser' AS fault, rolname::text AS subject FROM client WHERE rolsuper
UNION SELECT 'client_attributes', a.name FROM ordinary c CROSS JOIN LATERAL (VALUES
    ('REPLICATION', c.rolreplication), ('CREATEROLE', c.rolcreaterole), ('BYPASSRLS', c.rolbypassrls), ('CREATEDB', c.rolcreatedb)
  ) a (name, held) WHERE a.held
UNION SELECT 'client_is_service', current_user::text FROM ordinary c WHERE pg_has_role(c.oid, current_user, 'MEMBER')
UNION SELECT 'client_powers', m.rolname FROM ordinary c JOIN pg_roles m ON pg_has_role(c.oid, m.oid, 'MEMBER')
  WHERE m.rolname IN ('pg_write_all_data', 'pg_read_all_data', 'pg_execute_server_program', 'pg_write_server_files',
    'pg_read_server_files', 'pg_create_subscription', 'pg_maintain')
UNION SELECT 'client_watches', m.rolname FROM ordinary c JOIN pg_roles m ON pg_has_role(c.oid, m.oid, 'MEMBER')
  WHERE m.rolname IN ('pg_monitor', 'pg_read_all_stats', 'pg_signal_backend')
UNION SELECT 'client_other_roles', m.rolname FROM ordinary c JOIN pg_roles m ON pg_has_role(c.oid, m.oid, 'MEMBER')
  WHERE m.rolsuper AND m.oid <> c.oid
UNION SELECT 'client_owns', r.name FROM ordinary c JOIN relation r ON pg_has_role(c.oid, r.relowner, 'MEMBER')
UNION SELECT 'client_writes', r.name FROM able c JOIN relation r ON r.relkind IN ('r', 'p', 'v', 'f')
  WHERE NOT pg_has_role(c.oid, r.relowner, 'MEMBER')
    AND (has_table_privilege(c.oid, r.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
      OR has_any_column_privilege(c.oid, r.oid, 'INSERT, UPDATE'))
UNION SELECT 'client_sequences', r.name FROM able c JOIN relation r ON r.relkind = 'S'
  WHERE NOT pg_has_role(c.oid, r.relowner, 'MEMBER') AND has_sequence_privilege(c.oid, r.oid, 'UPDATE')
UNION SELECT 'client_creates', 'schema ' || n.nspname FROM able c JOIN namespace n ON has_schema_privilege(c.oid, n.oid, 'CREATE')
UNION SELECT 'client_creates', 'database ' || current_database() FROM able c
  WHERE has_database_privilege(c.oid, current_database(), 'CREATE')
UNION SELECT 'client_temporary', 'database ' || current_database() FROM able c
  WHERE has_database_privilege(c.oid, current_database(), 'TEMPORARY')
UNION SELECT 'client_definers', p.oid::regprocedure::text FROM able c JOIN pg_proc p ON p.prosecdef
  JOIN namespace n ON n.oid = p.pronamespace
  WHERE p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype) AND NOT pg_has_role(c.oid, p.proowner, 'MEMBER')
    AND has_schema_privilege(c.oid, n.oid, 'USAGE') AND has_function_privilege(c.oid, p.oid, 'EXECUTE')
UNION SELECT 'client_remote', p.oid::regprocedure::text FROM able c JOIN pg_proc p
  ON p.proname IN ('dblink', 'dblink_connect', 'dblink_connect_u', 'dblink_exec', 'dblink_open', 'dblink_send_query')
  WHERE has_schema_privilege(c.oid, p.pronamespace, 'USAGE') AND has_function_privilege(c.oid, p.oid, 'EXECUTE')
UNION SELECT 'client_remote', 'server ' || s.srvname FROM able c JOIN pg_foreign_server s ON has_server_privilege(c.oid, s.oid, 'USAGE')
UNION SELECT 'client_remote', 'foreign table ' || r.name FROM able c JOIN relation r ON r.relkind = 'f'
  WHERE has_table_privilege(c.oid, r.oid, 'SELECT') OR has_any_column_privilege(c.oid, r.oid, 'SELECT')
UNION SELECT 'client_files', p.oid::regprocedure::text FROM able c JOIN pg_proc p ON p.proname IN (
    'pg_read_file', 'pg_read_binary_file', 'pg_ls_dir', 'pg_stat_file', 'pg_file_write', 'pg_file_unlink', 'pg_file_rename',
    'lo_import', 'lo_export')
  WHERE has_schema_privilege(c.oid, p.pronamespace, 'USAGE') AND has_function_privilege(c.oid, p.oid, 'EXECUTE')
UNION SELECT 'client_sees_staging', s.oid::regclass::text FROM able c JOIN pg_class s ON s.relkind IN ('r', 'S')
  JOIN pg_namespace n ON n.oid = s.relnamespace
  WHERE n.nspname IN ('stage', 'stage_data') AND has_schema_privilege(c.oid, n.oid, 'USAGE')
    AND NOT (n.nspname = 'stage' AND s.relname IN ('deferred_firing', 'identity', 'last_sequence', 'overlay', 'seq', 'staged_function', 'staged_view', 'tree'))
    AND CASE s.relkind WHEN 'S' THEN has_sequence_privilege(c.oid, s.oid, 'USAGE, SELECT, UPDATE')
        ELSE has_table_privilege(c.oid, s.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER') END
ORDER BY 1, 2
