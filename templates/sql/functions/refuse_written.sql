-- The tripwire of a staged statement that may run user code: this connection must not have changed anything but staged data.
-- PostgreSQL counts what a transaction does to each table, whoever made it do so; an error here undoes all of it.
CREATE OR REPLACE FUNCTION stage.refuse_written() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_table text;
BEGIN
  IF NOT current_setting('track_counts')::boolean THEN
    RAISE EXCEPTION 'cannot tell whether functions that this statement calls have written' USING ERRCODE = 'feature_not_supported',
      HINT = 'Turn the setting track_counts on, or leave the calls of user-defined functions and operators out.';
  END IF;
  SELECT concat_ws('.', n.nspname, c.relname) INTO v_table
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'm') AND n.nspname <> 'stage' AND n.nspname NOT LIKE 'stage\_%'
    -- what MERGE runs on
    AND NOT (n.oid = pg_my_temp_schema() AND c.relname ~ '^_stage_merge_[0-9]+$')
    -- ours are there from MERGEs before, of the last transaction, too
    AND NOT (n.nspname = 'pg_catalog' AND stage.catalog_writes()::text = current_setting('stage.catalog_writes', true))
    AND pg_stat_get_xact_tuples_inserted(c.oid) + pg_stat_get_xact_tuples_updated(c.oid) + pg_stat_get_xact_tuples_deleted(c.oid) > 0
  LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'cannot stage a statement that makes a function write to "%"', v_table USING ERRCODE = 'feature_not_supported',
      HINT = 'Nothing was written. Leave out the function, operator, default or check that writes, or stage its effect by a statement of its own.';
  END IF;
END $$;
REVOKE ALL ON FUNCTION stage.refuse_written() FROM PUBLIC;
