-- The signature an overlay was built for; empty when a snapshot older than the overlay hides it; NULL without overlay.
CREATE OR REPLACE FUNCTION stage.signature_of(p_relation oid) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce(
    (SELECT o.signature FROM stage.overlay o WHERE o.relation OPERATOR(pg_catalog.=) p_relation),
    (SELECT t.stamp FROM stage.staged_view t WHERE t.relation OPERATOR(pg_catalog.=) p_relation),
    CASE WHEN stage.overlay_of(p_relation) IS NOT NULL THEN '' END);
END $$;
