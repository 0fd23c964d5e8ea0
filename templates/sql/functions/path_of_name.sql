-- Returns the schemas in which a name is looked up: those of its "path", which a function with SET search_path gives it, else the given
-- ones.
CREATE OR REPLACE FUNCTION stage.path_of_name(p_name jsonb, p_path oid[]) RETURNS oid[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  -- guard: names of a function with its own search path are resolved in it
  SELECT CASE WHEN p_name ? 'path' THEN ARRAY(
    SELECT n.oid FROM jsonb_array_elements_text(p_name -> 'path') WITH ORDINALITY s(name, place) JOIN pg_namespace n ON n.nspname = s.name ORDER BY s.place)
  ELSE p_path END
$$;
