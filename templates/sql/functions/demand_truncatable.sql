-- Checks, before TRUNCATE raises a notice or fires a trigger, that the overlays of its tables match them, triggers included: a statement
-- that fails with ST001 runs again.
CREATE OR REPLACE FUNCTION stage.demand_truncatable(p_relations oid[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_staged oid;
BEGIN
  FOR v_staged IN SELECT DISTINCT coalesce(pg_partition_root(r), r) FROM unnest(p_relations) r LOOP
    -- guard: TRUNCATE deletes the rows and fires the triggers of tables as they are now
    IF stage.overlay_of(v_staged) IS NULL OR stage.is_stale(v_staged) OR NOT stage.triggers_fit(v_staged) THEN
      RAISE EXCEPTION 'the definition of relation "%" changed', v_staged::regclass USING ERRCODE = 'ST001', HINT = 'Retry the transaction.';
    END IF;
  END LOOP;
END $$;
