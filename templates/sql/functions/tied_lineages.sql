-- Returns, transitively, the lineages that the chosen ones depend on, those that depend on them, and those that had one of their values at
-- another time; the chosen ones themselves are left out. Without these, the chosen ones and the others could not be applied in either
-- order.
CREATE OR REPLACE FUNCTION stage.tied_lineages(p_session uuid, p_relations oid[], p_roots bigint[])
RETURNS TABLE (relation oid, root bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan SET enable_nestloop = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  v_all text;
  v_ties text;
  v_shared text;
  -- the ties by foreign keys, by values that come back, and by triggers: one end, and the other
  v_relations oid[];
  v_roots bigint[];
  v_on_relations oid[];
  v_on_roots bigint[];
  v_found_relations oid[] := p_relations;
  v_found_roots bigint[] := p_roots;
  v_tied_relations oid[] := '{}';
  v_tied_roots bigint[] := '{}';
BEGIN
  SELECT string_agg(format('SELECT %s::oid, s._stage_seq FROM stage_data.shadow_%1$s s'
      ' WHERE s._stage_session = $1 AND s._stage_root IS NULL AND s._stage_origin <> ''overlay''', r), ' UNION ALL '),
    concat_ws(' UNION ALL ', 'SELECT * FROM stage.effects_of($1, a.relations, a.roots)', string_agg(format('SELECT * FROM stage_data.dependents_%s($1, a.relations, a.roots) UNION ALL SELECT * FROM stage_data.referred_%1$s($1)', r), ' UNION ALL ')),
    string_agg(format('SELECT * FROM stage_data.shared_%s($1, $2, $3)', r), ' UNION ALL ')
  INTO v_all, v_ties, v_shared
  FROM stage.tied_relations(p_session, p_relations) AS r
  WHERE to_regprocedure(format('stage_data.shared_%s(uuid, oid[], bigint[])', r)) IS NOT NULL;
  IF v_all IS NULL THEN RETURN; END IF;
  EXECUTE format($q$
    SELECT array_agg(t.relation), array_agg(t.root), array_agg(t.on_relation), array_agg(t.on_root)
    FROM (SELECT array_agg(l.relation) AS relations, array_agg(l.root) AS roots FROM (%s) l (relation, root)) a
    CROSS JOIN LATERAL (%s) t (relation, root, on_relation, on_root)
    WHERE (t.relation, t.root) <> (t.on_relation, t.on_root)
  $q$, v_all, v_ties) INTO v_relations, v_roots, v_on_relations, v_on_roots USING p_session;
  LOOP
    WITH RECURSIVE edges AS MATERIALIZED (
      SELECT * FROM unnest(v_relations, v_roots, v_on_relations, v_on_roots) AS t (relation, root, on_relation, on_root)
    ), both_ways AS MATERIALIZED (
      SELECT e.on_relation AS relation, e.on_root AS root, e.relation AS to_relation, e.root AS to_root FROM edges e
      UNION ALL
      -- guard: rows that the chosen rows depend on are chosen with them
      SELECT e.relation, e.root, e.on_relation, e.on_root FROM edges e
    ), reached AS (
      SELECT f.relation, f.root FROM unnest(v_found_relations, v_found_roots) AS f (relation, root)
      UNION
      SELECT b.to_relation, b.to_root FROM reached r JOIN both_ways b ON b.relation = r.relation AND b.root = r.root
    )
    SELECT coalesce(array_agg(n.relation), '{}'), coalesce(array_agg(n.root), '{}') INTO v_found_relations, v_found_roots FROM (
      SELECT r.relation, r.root FROM reached r
      EXCEPT SELECT k.relation, k.root FROM unnest(v_tied_relations, v_tied_roots) AS k (relation, root)) n;
    v_tied_relations := v_tied_relations || v_found_relations;
    v_tied_roots := v_tied_roots || v_found_roots;
    EXECUTE format($q$
      SELECT coalesce(array_agg(n.relation), '{}'), coalesce(array_agg(n.root), '{}') FROM (
        SELECT s.relation, s.root FROM (%s) s (relation, root, on_relation, on_root)
        EXCEPT SELECT k.relation, k.root FROM unnest($4, $5) AS k (relation, root)) n
    $q$, v_shared) INTO v_found_relations, v_found_roots
    USING p_session, v_found_relations, v_found_roots, v_tied_relations, v_tied_roots;
    EXIT WHEN cardinality(v_found_roots) = 0;
  END LOOP;
  RETURN QUERY SELECT k.relation, k.root FROM unnest(v_tied_relations, v_tied_roots) AS k (relation, root)
  EXCEPT SELECT c.relation, c.root FROM unnest(p_relations, p_roots) AS c (relation, root);
END $$;
REVOKE ALL ON FUNCTION stage.tied_lineages(uuid, oid[], bigint[]) FROM PUBLIC;
