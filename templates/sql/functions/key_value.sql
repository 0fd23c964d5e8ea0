-- Returns a key's value as row_id shows it: an integer as a JSON number while every JSON reader keeps it exact (up to 2^53), everything
-- else as PostgreSQL's text.
CREATE OR REPLACE FUNCTION stage.key_value(p_value anyelement) RETURNS jsonb
LANGUAGE sql STABLE AS $$
  SELECT CASE
    -- user-defined types may have a cast to json, which may fail
    WHEN pg_catalog.jsonb_typeof(CASE WHEN pg_catalog.pg_typeof(p_value)::pg_catalog.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid
        THEN stage.value_image(p_value) ELSE pg_catalog.to_jsonb(p_value) END) OPERATOR(pg_catalog.=) 'number'
      AND p_value::pg_catalog.text OPERATOR(pg_catalog.~) '^-?[0-9]{1,16}$'
      AND p_value::pg_catalog.text::numeric OPERATOR(pg_catalog.<=) 9007199254740992
      AND p_value::pg_catalog.text::numeric OPERATOR(pg_catalog.>=) -9007199254740992
    THEN pg_catalog.to_jsonb(p_value)
    ELSE pg_catalog.to_jsonb(p_value::pg_catalog.text)
  END
$$;
REVOKE ALL ON FUNCTION stage.key_value(anyelement) FROM PUBLIC;
