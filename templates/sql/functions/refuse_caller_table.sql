-- Refuses the writes of a function to the table of a write that calls it, to a table with a foreign key to that one, and to a table whose
-- foreign keys lead there if an action may follow them: approval repeats the statements of the function before the write. p_callers: see
-- stage.enter_call.
CREATE OR REPLACE FUNCTION stage.refuse_caller_table(p_relation oid, p_callers jsonb, p_is_own boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_caller oid;
  v_operation text;
BEGIN
  SELECT c.relation, c.operation INTO v_caller, v_operation
  FROM jsonb_array_elements(p_callers) k (caller)
    CROSS JOIN LATERAL (SELECT split_part(k.caller ->> 0, '_', 1)::oid, split_part(k.caller ->> 0, '_', 2)) c (relation, operation)
  WHERE c.relation = p_relation OR p_is_own AND EXISTS (
    WITH RECURSIVE referred (relation, depth) AS (
      SELECT p_relation, 0
      UNION
      SELECT coalesce(pg_partition_root(f.confrelid), f.confrelid), least(r.depth + 1, 2)
      FROM referred r JOIN pg_constraint f ON f.contype = 'f' AND f.conrelid = r.relation
      -- an INSERT has no actions
      WHERE r.depth = 0 OR c.operation <> 'i'
    )
    SELECT FROM referred r WHERE r.depth > 0 AND r.relation = c.relation)
  LIMIT 1;
  IF NOT FOUND THEN RETURN; END IF;
  RAISE EXCEPTION 'cannot stage what a function writes to "%" while % "%" calls it', (SELECT relname FROM pg_class WHERE oid = p_relation),
      CASE v_operation WHEN 'i' THEN 'an INSERT into' WHEN 'u' THEN 'an UPDATE of' ELSE 'a DELETE from' END, (SELECT relname FROM pg_class WHERE oid = v_caller)
    USING ERRCODE = 'feature_not_supported', HINT = 'Call the function in a SELECT before, and use its result.';
END $$;
REVOKE ALL ON FUNCTION stage.refuse_caller_table(oid, jsonb, boolean) FROM PUBLIC;
