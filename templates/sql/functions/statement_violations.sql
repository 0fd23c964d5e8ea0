-- Returns the limits of some rules of the policy that a statement breaks in one table, in the words of src/review/policy/evaluate.ts.
-- p_mutations: those of the statement, in the order of their numbers. `changed`: the rows that it changes there, without those that
-- triggers write: production's triggers write them at approval.
CREATE OR REPLACE FUNCTION stage.statement_violations(p_session uuid, p_relation oid, p_mutations bigint[], p_rules jsonb, OUT violations jsonb, OUT changed bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_name text := (SELECT stage.shown_name(c.relnamespace::regnamespace::name, c.relname) FROM pg_class c WHERE c.oid = p_relation);
  v_counts jsonb;
  v_rows bigint;
BEGIN
  EXECUTE format(
    'SELECT jsonb_build_object(''insert'', count(*) FILTER (WHERE s._stage_op = ''I''), ''update'', count(*) FILTER (WHERE s._stage_op = ''U''),'
    ' ''delete'', count(*) FILTER (WHERE s._stage_op = ''D'')), count(DISTINCT coalesce(s._stage_root, s._stage_seq))'
    ' FROM stage_data.shadow_%s s WHERE s._stage_session = $1 AND s._stage_seq > $2[1] AND s._stage_mutation = ANY ($2)'
    -- guard: rows of triggers do not count against the limits of a statement
    ' AND s._stage_origin::text NOT IN (''overlay'', ''trigger'')', p_relation)
  INTO v_counts, changed USING p_session, p_mutations;
  IF changed = 0 THEN RETURN; END IF;
  IF p_rules @? '$[*].max_rows' THEN
    EXECUTE format('SELECT count(DISTINCT coalesce(s._stage_root, s._stage_seq)) FROM stage_data.shadow_%s s'
      ' WHERE s._stage_session = $1 AND s._stage_origin::text NOT IN (''overlay'', ''trigger'')', p_relation)
    INTO v_rows USING p_session;
  END IF;
  SELECT jsonb_agg(jsonb_build_object('rule', v.rule, 'limit', v.kind, 'says', v.says)) INTO violations
  FROM (
    SELECT r.rule ->> 'name' AS rule, 'deny' AS kind, format('no %s in %s: the statement has %s', d.operation, v_name, v_counts ->> d.operation) AS says
    FROM jsonb_array_elements(p_rules) r (rule) CROSS JOIN jsonb_array_elements_text(r.rule -> 'deny') d (operation)
    -- guard: a denied operation is refused when it is staged
    WHERE (v_counts ->> d.operation)::bigint > 0
    UNION ALL
    SELECT r.rule ->> 'name', 'deny_columns', format('no update of %s.%s: the statement updates it', v_name, u.name)
    FROM jsonb_array_elements(p_rules) r (rule)
    CROSS JOIN LATERAL stage.updated_columns(p_session, p_relation, ARRAY(SELECT jsonb_array_elements_text(r.rule -> 'deny_columns')), p_mutations) u (name)
    WHERE r.rule ? 'deny_columns'
    UNION ALL
    SELECT r.rule ->> 'name', 'max_rows', format('at most %s rows of %s: the session would change %s', r.rule ->> 'max_rows', v_name, v_rows)
    FROM jsonb_array_elements(p_rules) r (rule)
    -- guard: a statement that exceeds the limit of its session reports it
    WHERE v_rows > (r.rule ->> 'max_rows')::bigint
  ) v;
END $$;
REVOKE ALL ON FUNCTION stage.statement_violations(uuid, oid, bigint[], jsonb) FROM PUBLIC;
