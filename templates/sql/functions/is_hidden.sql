-- Returns whether the stand-in of a relation was dropped or rebuilt after the transaction's snapshot was taken. Names find the new object
-- nevertheless, but the rows that had been staged before were carried over into it later, so the snapshot does not show them.
CREATE OR REPLACE FUNCTION stage.is_hidden(p_relation oid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- of its own, because a new connection plans the query below, which takes longer than running it
  IF pg_catalog.current_setting('transaction_isolation') OPERATOR(pg_catalog.~~) 'read %' THEN RETURN false; END IF;
  RETURN EXISTS (
    SELECT FROM (
      SELECT stage.overlay_of(p_relation)::pg_catalog.oid
      WHERE EXISTS (SELECT FROM stage.overlay o WHERE o.relation OPERATOR(pg_catalog.=) p_relation
          AND o.signature OPERATOR(pg_catalog.<>) 'dropped')
        OR EXISTS (SELECT FROM stage.staged_view t WHERE t.relation OPERATOR(pg_catalog.=) p_relation AND stage.has_staged_view(p_relation))
      UNION ALL
      SELECT pg_catalog.to_regclass(pg_catalog.concat('stage_tree_', c.relnamespace, '.', pg_catalog.quote_ident(c.relname)))::pg_catalog.oid
      FROM stage.tree t JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) t.relation WHERE t.relation OPERATOR(pg_catalog.=) p_relation
    ) s(view)
    WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_class v WHERE v.oid OPERATOR(pg_catalog.=) s.view));
END $$;
