-- Returns whether a constraint is checked at COMMIT in the running transaction: as SET CONSTRAINTS has set it, else as its definition has
-- it.
CREATE OR REPLACE FUNCTION stage.is_deferred(p_table oid, p_name text, p_initially boolean) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce((s.modes ->> stage.deferral_name(p_table, p_name))::boolean, (s.modes ->> 'all')::boolean, p_initially)
  FROM (SELECT nullif(current_setting('stage.constraints', true), '')::jsonb) s(modes)
$$;
