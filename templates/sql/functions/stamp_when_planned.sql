-- Returns the stamp of the first of the relations at the moment when the expression with the call is planned: it is declared IMMUTABLE,
-- which it is not, so that the planner replaces the call by its result. The others are parameters so that the plan depends on them (see
-- templates/sql/table/install/stamp.sql). Plan it under READ COMMITTED only.
CREATE OR REPLACE FUNCTION stage.stamp_when_planned(VARIADIC p_relations oid[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN stage.stamp_now(p_relations[1]);
END $$;
