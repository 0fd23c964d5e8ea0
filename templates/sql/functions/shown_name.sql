-- Returns the name of a table as diffs show it, as shownName in src/model/table.ts does.
CREATE OR REPLACE FUNCTION stage.shown_name(p_schema text, p_name text) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT string_agg(CASE WHEN p.part ~ '[."]' THEN '"' || replace(p.part, '"', '""') || '"' ELSE p.part END, '.' ORDER BY p.place)
  FROM unnest(ARRAY[nullif(p_schema, 'public'), p_name]) WITH ORDINALITY p (part, place) WHERE p.part IS NOT NULL
$$;
