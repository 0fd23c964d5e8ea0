-- Returns the words for pg_constraint.confdeltype and confupdtype.
CREATE OR REPLACE FUNCTION stage.foreign_key_action(p_code "char") RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE p_code WHEN 'r' THEN 'restrict' WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null'
                     WHEN 'd' THEN 'set default' ELSE 'no action' END
$$;
