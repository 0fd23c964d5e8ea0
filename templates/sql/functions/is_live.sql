-- Returns whether a version shows its row: it is no deletion. Views call it beside the operator, for its cost alone: a plan pays the cost
-- unless it uses an index that has no other rows. While a shadow table is small, as when the first statement of many rows is planned,
-- nothing else would make the planner prefer the index for a condition to that of the key, by which each row scans all rows that are staged
-- before it.
CREATE OR REPLACE FUNCTION stage.is_live(p_op "char") RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 400 AS $$
BEGIN
  RETURN p_op OPERATOR(pg_catalog.<>) 'D'::pg_catalog."char";
END $$;
