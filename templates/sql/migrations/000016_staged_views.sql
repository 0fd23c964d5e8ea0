-- Tables, functions and types get the names that the documentation has for what they stand for. Staged views are made anew when they
-- are next read, because their generation is another one.
ALTER TABLE stage.twin RENAME TO staged_view;
ALTER TABLE stage.staged_view RENAME COLUMN twins TO staged_views;
ALTER TABLE stage.function_twin RENAME TO staged_function;
DROP FUNCTION IF EXISTS stage.twin_is_stale(oid), stage.twin_stamp(oid), stage.twin_definition(oid);
DO $$
DECLARE
  v_type text;
BEGIN
  FOR v_type IN
    SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
    WHERE n.nspname OPERATOR(pg_catalog.=) 'stage_data' AND c.relkind OPERATOR(pg_catalog.=) 'c' AND c.relname OPERATOR(pg_catalog.~) '^twin_row_'
  LOOP
    EXECUTE pg_catalog.format('DROP TYPE stage_data.%I CASCADE', v_type);
  END LOOP;
END $$;
