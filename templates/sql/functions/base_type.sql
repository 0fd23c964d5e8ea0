-- Returns the type that a column is stored as: a domain's base type with its modifier, any other type itself.
CREATE OR REPLACE FUNCTION stage.base_type(p_type oid, p_modifier int, OUT type oid, OUT modifier int)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  WITH RECURSIVE below (type, modifier) AS (
    SELECT p_type, p_modifier
    UNION ALL
    SELECT t.typbasetype, t.typtypmod FROM below b JOIN pg_type t ON t.oid = b.type WHERE t.typtype = 'd'
  )
  SELECT b.type, b.modifier FROM below b JOIN pg_type t ON t.oid = b.type WHERE t.typtype <> 'd'
$$;
