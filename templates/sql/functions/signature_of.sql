-- Returns the signature that an overlay was built for, or the stamp of a staged view; empty when an older snapshot hides it, or when it is
-- left of a former view or partition; NULL if there is none.
CREATE OR REPLACE FUNCTION stage.signature_of(p_relation oid) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce(
    (SELECT o.signature FROM stage.overlay o WHERE o.relation OPERATOR(pg_catalog.=) p_relation AND o.signature OPERATOR(pg_catalog.<>) 'dropped'),
    (SELECT t.stamp FROM stage.staged_view t WHERE t.relation OPERATOR(pg_catalog.=) p_relation AND stage.has_staged_view(p_relation)),
    CASE WHEN stage.overlay_of(p_relation) IS NOT NULL THEN '' END);
END $$;
