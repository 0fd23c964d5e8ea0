-- Whether a version of a row shows it: it is no deletion. Views ask by this beside the operator, for its price alone: a plan pays it
-- unless it goes by an index that has no other rows. While a shadow table is small, as it is when the first statement of many rows
-- is planned, nothing else would tell the planner the index for a condition from that of the key, by which each row looks through
-- all that are staged before it.
CREATE OR REPLACE FUNCTION stage.is_live(p_op "char") RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 400 AS $$
BEGIN
  RETURN p_op OPERATOR(pg_catalog.<>) 'D'::pg_catalog."char";
END $$;
