-- Returns the overlay view of a table, or NULL. Finds it by name: no snapshot hides it, as an old one hides rows of stage.overlay.
CREATE OR REPLACE FUNCTION stage.overlay_of(p_relation oid) RETURNS regclass
LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- a running transaction learns of new relations only when it takes a lock; this takes one and releases it
  PERFORM pg_catalog.pg_relation_size('stage.migration');
  RETURN (
    SELECT pg_catalog.to_regclass(pg_catalog.concat('stage_overlay_', c.relnamespace, '.', pg_catalog.quote_ident(c.relname)))
    FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) p_relation);
END $$;
