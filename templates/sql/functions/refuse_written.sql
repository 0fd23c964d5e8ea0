-- Raises an error if a staged statement that may run user code has changed anything but staged data: the tripwire. PostgreSQL counts what a
-- transaction writes to each table, whatever code it runs; an error here undoes all of it.
CREATE OR REPLACE FUNCTION stage.refuse_written() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_table text;
BEGIN
  IF NOT current_setting('track_counts')::boolean THEN
    RAISE EXCEPTION 'cannot tell whether functions that this statement calls have written' USING ERRCODE = 'feature_not_supported',
      HINT = 'Turn the setting track_counts on, or leave the calls of user-defined functions and operators out.';
  END IF;
  SELECT i.identity INTO v_table
  FROM (
    SELECT c.oid FROM pg_class c WHERE c.relkind IN ('r', 'm')
    -- a transaction that keeps its snapshot does not see tables created since, but its code writes to them, and locks them
    UNION SELECT l.relation FROM pg_locks l
    -- guard: the tripwire sees tables that the snapshot does not show
    WHERE l.locktype = 'relation' AND l.pid = pg_backend_pid() AND current_setting('transaction_isolation') <> 'read committed'
  ) w(relation)
  CROSS JOIN LATERAL pg_identify_object('pg_class'::regclass, w.relation, 0) i
  WHERE pg_stat_get_xact_tuples_inserted(w.relation) + pg_stat_get_xact_tuples_updated(w.relation)
      + pg_stat_get_xact_tuples_deleted(w.relation) > 0
    AND i.type IN ('table', 'materialized view') AND NOT stage.is_internal_schema(to_regnamespace(i.schema))
    -- temporary tables are the connection's own
    AND i.identity !~ '^pg_temp[.]'
    -- the service's own writes are there from earlier MERGEs, including those of the previous transaction
    -- guard: the tripwire sees writes to catalogs
    AND NOT (i.schema = 'pg_catalog' AND stage.catalog_writes()::text = current_setting('stage.catalog_writes', true))
    -- the rows of event triggers are there from the target of a MERGE, see stage.merge_target
    AND NOT stage.is_logged(w.relation, nullif(current_setting('stage.logged_before', true), '')::jsonb)
  LIMIT 1;
  -- guard: the tripwire sees inserted rows
  IF FOUND THEN
    RAISE EXCEPTION 'cannot stage a statement that makes a function write to "%"', v_table USING ERRCODE = 'feature_not_supported',
      HINT = 'Nothing was written. Leave out the function, operator, default or check that writes, or stage its effect by a statement of its own.';
  END IF;
END $$;
-- guard: functions with the rights of the service are not for everybody
REVOKE ALL ON FUNCTION stage.refuse_written() FROM PUBLIC;
