-- Returns, transitively, the lineages that could not be applied without the chosen ones; the chosen ones themselves are left out.
CREATE OR REPLACE FUNCTION stage.dependent_lineages(p_session uuid, p_relations oid[], p_roots bigint[])
RETURNS TABLE (relation oid, root bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan SET enable_nestloop = off SET jit = off AS $$
#variable_conflict use_column
DECLARE
  v_query text := (SELECT concat_ws(' UNION ALL ', 'SELECT d.relation, d.root FROM stage.effects_of($1, $2, $3) d',
      string_agg(format('SELECT d.relation, d.root FROM stage_data.dependents_%s($1, $2, $3) d', r), ' UNION ALL '))
    FROM stage.staged_relations(p_session) AS r WHERE to_regprocedure(format('stage_data.dependents_%s(uuid, oid[], bigint[])', r)) IS NOT NULL);
  v_relations oid[] := p_relations;
  v_roots bigint[] := p_roots;
  v_tied_relations oid[] := '{}';
  v_tied_roots bigint[] := '{}';
BEGIN
  LOOP
    EXECUTE format($q$
      SELECT coalesce(array_agg(t.relation), '{}'), coalesce(array_agg(t.root), '{}') FROM (
        SELECT n.relation, n.root FROM (%s) n (relation, root)
        EXCEPT SELECT k.relation, k.root FROM unnest($4, $5) AS k (relation, root)
        EXCEPT SELECT k.relation, k.root FROM unnest($6, $7) AS k (relation, root)) t
    $q$, v_query) INTO v_relations, v_roots USING p_session, v_relations, v_roots, p_relations, p_roots, v_tied_relations, v_tied_roots;
    EXIT WHEN cardinality(v_roots) = 0;
    v_tied_relations := v_tied_relations || v_relations;
    v_tied_roots := v_tied_roots || v_roots;
  END LOOP;
  RETURN QUERY SELECT k.relation, k.root FROM unnest(v_tied_relations, v_tied_roots) AS k (relation, root);
END $$;
REVOKE ALL ON FUNCTION stage.dependent_lineages(uuid, oid[], bigint[]) FROM PUBLIC;
