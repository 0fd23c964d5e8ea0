-- Returns the values on this connection of the settings that code of users reads, for a statement on a table; NULL if none of them is set.
CREATE OR REPLACE FUNCTION stage.settings_of(p_relation oid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT jsonb_object_agg(n.name, current_setting(n.name, true))
  FROM stage.overlay o CROSS JOIN unnest(o.settings) n (name) WHERE o.relation = p_relation AND current_setting(n.name, true) IS NOT NULL
$$;
REVOKE ALL ON FUNCTION stage.settings_of(oid) FROM PUBLIC;
