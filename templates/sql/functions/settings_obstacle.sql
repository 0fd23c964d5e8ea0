-- Returns why a function with these settings has no copy, as the end of "function ..."; NULL if it may have one.
CREATE OR REPLACE FUNCTION stage.settings_obstacle(p_config text[]) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE
    -- guard: a copy has no setting of its own but the path
    WHEN EXISTS (SELECT FROM unnest(p_config) c(setting) WHERE NOT starts_with(c.setting, 'search_path=')) THEN 'has settings of its own'
    -- guard: a role chooses no schema in which a copy finds names
    WHEN stage.own_path(p_config) ? '$user' THEN 'finds names in a schema of the role'
    -- guard: no schema of a copy comes before pg_catalog
    WHEN EXISTS (SELECT FROM unnest(p_config) c(setting) WHERE c.setting ~* '[=,]\s*"?pg_catalog' AND c.setting !~* '^search_path="?pg_catalog"?\s*(,|$)')
      THEN 'looks for names in other schemas before pg_catalog' END
$$;
