-- Refuses what a function writes to the table of an INSERT that calls it, or to a table with a foreign key to that: approval repeats the
-- statements of the function before the INSERT.
-- p_callers: see stage.enter_call.
CREATE OR REPLACE FUNCTION stage.refuse_caller_table(p_relation oid, p_callers jsonb, p_is_own boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_caller oid;
BEGIN
  SELECT c.relation INTO v_caller
  FROM jsonb_array_elements(p_callers) k (caller) CROSS JOIN LATERAL (SELECT split_part(k.caller ->> 0, '_', 1)::oid) c (relation)
  WHERE c.relation = p_relation OR p_is_own AND EXISTS (
    SELECT FROM pg_constraint f WHERE f.contype = 'f' AND f.conrelid = p_relation AND coalesce(pg_partition_root(f.confrelid), f.confrelid) = c.relation)
  LIMIT 1;
  IF NOT FOUND THEN RETURN; END IF;
  RAISE EXCEPTION 'cannot stage what a function writes to "%" while an INSERT into "%" calls it',
      (SELECT relname FROM pg_class WHERE oid = p_relation), (SELECT relname FROM pg_class WHERE oid = v_caller)
    USING ERRCODE = 'feature_not_supported', HINT = 'Call the function in a SELECT before, and insert its result.';
END $$;
REVOKE ALL ON FUNCTION stage.refuse_caller_table(oid, jsonb, boolean) FROM PUBLIC;
