-- Returns the places of production's rows that staged ones hide, for a table whose key its parent does not show.
-- Filled in src/overlay/inheritance/tree.ts: p is production's row, h a staged one.
CREATE FUNCTION {{function}}() RETURNS SETOF tid
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
  RETURN QUERY SELECT p.ctid FROM {{shadow}} h CROSS JOIN LATERAL (SELECT p.ctid FROM {{production}} p WHERE {{p_is_hidden}}) p
  WHERE h._stage_session = current_setting('stage.session')::uuid AND h._stage_head{{h_hides}};
END $body$
