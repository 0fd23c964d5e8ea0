-- Returns the schemas in which a function with SET search_path finds names, in order, as a JSON array; NULL without such a clause.
-- pg_catalog comes first, as it does where the clause does not name it. Temporary tables are resolved apart.
CREATE OR REPLACE FUNCTION stage.own_path(p_config text[]) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT '["pg_catalog"]'::jsonb || coalesce((
    SELECT jsonb_agg(s.name ORDER BY s.place)
    FROM (SELECT coalesce(replace(m.parts[1], '""', '"'), lower(m.parts[2])), m.place
      FROM regexp_matches(substr(c.setting, 13), '"((?:[^"]|"")*)"|([^",\s]+)', 'g') WITH ORDINALITY m(parts, place)) s(name, place)
    WHERE s.name NOT IN ('', 'pg_catalog', 'pg_temp')), '[]')
  FROM unnest(p_config) c(setting) WHERE starts_with(c.setting, 'search_path=')
$$;
