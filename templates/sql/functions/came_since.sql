-- Returns whether another transaction staged the mutation, and ended after the running statement began.
CREATE OR REPLACE FUNCTION stage.came_since(p_mutation bigint) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (SELECT FROM stage.mutation m WHERE m.session = current_setting('stage.session')::uuid AND m.id = p_mutation AND m.transaction <> pg_current_xact_id()
    AND NOT pg_visible_in_snapshot(m.transaction, current_setting('stage.statement_snapshot')::pg_snapshot))
$$;
REVOKE ALL ON FUNCTION stage.came_since(bigint) FROM PUBLIC;
