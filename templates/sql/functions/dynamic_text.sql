-- Returns the text that EXECUTE runs in a copy: with the names of overlays, if the text of the body is the one that was followed.
CREATE OR REPLACE FUNCTION stage.dynamic_text(p_text text, p_followed text, p_replaced text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- guard: no text runs in a copy that was not followed
  IF p_text IS DISTINCT FROM p_followed THEN
    RAISE EXCEPTION 'cannot stage what a text runs by EXECUTE that differs from the one that was followed' USING ERRCODE = 'feature_not_supported',
      DETAIL = coalesce(p_text, 'null'), HINT = 'Have the code make up the text of constants, quote_ident(), quote_literal() and format().';
  END IF;
  RETURN p_replaced;
END $$;
