-- Returns the orders in which the runs of a statement are tried after that of staging. A child may have been written before its parent, so
-- parents come first, and deletions last, children before parents. An action may change a row that the statement inserts. The row whose
-- deletion caused an action may refer with RESTRICT to a row that the action deletes: then production's own action deletes it.
CREATE OR REPLACE FUNCTION stage.orders_of_runs(p_runs stage.apply_run[]) RETURNS text[]
-- guard: the orders of an approval are made under a fixed search path
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT ARRAY['as staged', 'the other way round', 'actions later']
    || CASE WHEN EXISTS (SELECT FROM unnest(p_runs) r WHERE r.operation = 'D' AND r.origin = 'action' AND r.step = 'apply')
         THEN ARRAY['by production'] ELSE '{}' END
$$;
REVOKE ALL ON FUNCTION stage.orders_of_runs(stage.apply_run[]) FROM PUBLIC;
