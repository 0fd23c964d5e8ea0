-- Returns whether what another connection has learned about names is valid on the caller's connection, in its session. p_entries: what
-- stage.is_current takes, and "views": the OIDs of the views that stand for the relation, and "stamp": the function that returns its stamp,
-- whose plan the statements after this one use, too; null of a table without an overlay.
CREATE OR REPLACE FUNCTION stage.names_are_valid(p_entries jsonb) RETURNS boolean
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_entry pg_catalog.jsonb;
  v_views pg_catalog.jsonb;
  v_function pg_catalog.text;
  v_stamp pg_catalog.text;
BEGIN
  FOR v_index IN 0 .. pg_catalog.jsonb_array_length(p_entries) OPERATOR(pg_catalog.-) 1 LOOP
    v_entry := p_entries OPERATOR(pg_catalog.->) v_index;
    v_views := v_entry OPERATOR(pg_catalog.->) 'views';
    FOR v_view IN 0 .. pg_catalog.jsonb_array_length(v_views) OPERATOR(pg_catalog.-) 1 LOOP
      -- NULL if there is no such relation
      IF pg_catalog.has_table_privilege((v_views OPERATOR(pg_catalog.->>) v_view)::pg_catalog.oid, 'SELECT') IS NULL THEN RETURN false; END IF;
    END LOOP;
    -- guard: names of tables with orphaned rows are resolved again
    IF stage.has_parked((v_entry OPERATOR(pg_catalog.->>) 'oid')::pg_catalog.oid, false) THEN RETURN false; END IF;
    v_function := v_entry OPERATOR(pg_catalog.->>) 'stamp';
    IF v_function IS NULL THEN
      IF NOT stage.is_current(v_entry) THEN RETURN false; END IF;
      CONTINUE;
    END IF;
    -- guard: only stamps of the service are called, whoever calls this function
    IF v_function OPERATOR(pg_catalog.!~) '^stage_overlay_[0-9]+[.]stamp_[0-9]+$' OR pg_catalog.to_regproc(v_function) IS NULL
      OR NOT stage.is_internal_schema(pg_catalog.to_regnamespace(pg_catalog.split_part(v_function, '.', 1))::pg_catalog.oid)
    THEN
      RETURN false;
    END IF;
    BEGIN
      EXECUTE pg_catalog.format('SELECT %I.%I()', pg_catalog.split_part(v_function, '.', 1), pg_catalog.split_part(v_function, '.', 2)) INTO v_stamp;
    EXCEPTION WHEN undefined_function OR invalid_schema_name THEN
      RETURN false;  -- dropped meanwhile
    END;
    IF NOT stage.is_current(v_entry, v_stamp) THEN RETURN false; END IF;
  END LOOP;
  RETURN true;
END $$;
