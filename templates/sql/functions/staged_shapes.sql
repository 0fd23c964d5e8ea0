-- Returns the tables in which a session has staged rows: the key, and the columns of the shadow table that make up the row, in order.
CREATE OR REPLACE FUNCTION stage.staged_shapes(p_session uuid)
RETURNS TABLE (relation oid, shown_name text, key_columns text[], columns text[])
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT o.relation, o.shown_name, o.key_columns, ARRAY(
    SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = to_regclass('stage_data.shadow_' || o.relation)
      AND a.attnum > 0 AND NOT a.attisdropped AND NOT starts_with(a.attname, '_stage_') ORDER BY a.attnum)
  FROM stage.overlay o JOIN stage.staged_relations($1) AS r (relation) ON r.relation = o.relation
$$;
REVOKE ALL ON FUNCTION stage.staged_shapes(uuid) FROM PUBLIC;
