-- The stamp of the first of the relations, at the moment at which the expression with the call is planned: it says IMMUTABLE, which it
-- is not, so that the planner puts its result in its place. The others are given for the plan to depend on (see
-- templates/sql/table/install/stamp.sql). Only to be planned under READ COMMITTED.
CREATE OR REPLACE FUNCTION stage.stamp_when_planned(VARIADIC p_relations oid[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN stage.stamp_now(p_relations[1]);
END $$;
