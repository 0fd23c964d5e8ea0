-- Returns the parts of a relation's definition that run whenever it is read: the query of a view, the policies of a table, each with its
-- tree.
CREATE OR REPLACE FUNCTION stage.definitions_read(p_relation oid) RETURNS TABLE (catalog text, object oid, tree text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT 'pg_rewrite', r.oid, r.ev_action::text
  FROM pg_class c JOIN pg_rewrite r ON r.ev_class = c.oid AND r.ev_type = '1'
  WHERE c.oid = p_relation AND c.relkind = 'v' AND stage.is_made_by_users('pg_class', c.oid)
  UNION ALL SELECT 'pg_policy', p.oid, concat(p.polqual::text, p.polwithcheck::text) FROM pg_policy p WHERE p.polrelid = p_relation
$$;
