-- Returns whether a rule of a table runs something else in place of a foreign key's action, which is an UPDATE or a DELETE of its rows.
CREATE OR REPLACE FUNCTION stage.is_rewritten(p_relation oid, p_operation text) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (SELECT c.relhasrules FROM pg_class c WHERE c.oid = p_relation) AND EXISTS (
    SELECT FROM pg_rewrite r WHERE r.ev_class = p_relation AND r.is_instead AND r.ev_qual::text = '<>'
      AND r.ev_type = CASE p_operation WHEN 'UPDATE' THEN '2' ELSE '4' END);
END $$;
