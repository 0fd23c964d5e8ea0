-- Orphans the rows that a session staged in a table, because their meaning has become ambiguous.
DROP FUNCTION IF EXISTS stage.park(uuid, oid, text[]);
CREATE OR REPLACE FUNCTION stage.park(p_session uuid, p_relation oid, p_columns text[], p_reasons jsonb) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT stage.park_as(p_session, p_relation, p_columns, p_reasons, p_relation);
$$;
REVOKE ALL ON FUNCTION stage.park(uuid, oid, text[], jsonb) FROM PUBLIC;
