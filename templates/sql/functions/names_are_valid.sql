-- Returns whether what another connection has learned about names is valid on the caller's connection, in its session. p_entries: what
-- stage.is_current takes, and "views": the OIDs of the views that stand for the relation, and "stamp": the function that returns its stamp.
CREATE OR REPLACE FUNCTION stage.names_are_valid(p_entries jsonb) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  RETURN stage.are_current(p_entries) AND NOT EXISTS (
    SELECT FROM pg_catalog.jsonb_array_elements(p_entries) e(entry)
    -- guard: what was put aside in the session itself is asked about
    WHERE stage.has_parked((e.entry OPERATOR(pg_catalog.->>) 'oid')::pg_catalog.oid, false)
      OR pg_catalog.to_regproc(e.entry OPERATOR(pg_catalog.->>) 'stamp') IS NULL
      OR EXISTS (
        SELECT FROM pg_catalog.jsonb_array_elements_text(e.entry OPERATOR(pg_catalog.->) 'views') v(view)
        WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) v.view::pg_catalog.oid)));
END $$;
