-- Whether staged rows of a table were put aside in the caller's session.
CREATE OR REPLACE FUNCTION stage.has_parked(p_relation oid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (
    SELECT 1 FROM stage.parked_table p
    WHERE p.session = current_setting('stage.session')::uuid AND p.relation = p_relation)
$$;
