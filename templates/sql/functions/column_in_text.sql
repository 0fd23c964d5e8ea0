-- Returns the name of a column, quoted, for a text that EXECUTE runs in a copy: the name was not known when the text was followed.
-- p_relations: the names in the text that stand for whole rows. Those of an overlay have other columns than those of the table.
CREATE OR REPLACE FUNCTION stage.column_in_text(p_name text, p_relations text[]) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- guard: a name that a text gets when it runs stands for a column of the table, and for nothing of an overlay
  IF p_name = ANY (p_relations) OR p_name LIKE '\_stage\_%' OR p_name IN ('ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid') THEN
    RAISE EXCEPTION 'cannot stage what a text runs by EXECUTE that names "%" as a column', p_name USING ERRCODE = 'feature_not_supported',
      HINT = 'Pass the name of a column of the table.';
  END IF;
  RETURN quote_ident(p_name);
END $$;
