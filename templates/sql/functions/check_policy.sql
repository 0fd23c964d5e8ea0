-- Refuses the client's statement where the policy does not allow what it has staged, in all tables together. Called at the end of the
-- statement, and again where actions of foreign keys follow. The proposal checks the same: settings that a direct connection can set decide
-- nothing.
CREATE OR REPLACE FUNCTION stage.check_policy() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_session uuid := current_setting('stage.session')::uuid;
  v_mutations bigint[] := string_to_array(current_setting('stage.mutations'), ',')::bigint[];
  v_version bigint;
  v_rules jsonb;
  v_oids jsonb;
  v_relation oid;
  v_covering jsonb;
  v_found record;
  v_changed jsonb := '{}';  -- rows by the name of a rule
  v_violations jsonb := '[]';
  v_budgets jsonb;
BEGIN
  -- an approved session can be reverted: the proposal of the revert is checked
  IF current_setting('stage.reverts', true) = 'on' THEN RETURN; END IF;
  SELECT p.version, jsonb_path_query_array(p.document, '$.rules[*] ? (exists(@.deny) || exists(@.deny_columns) || exists(@.max_rows) || exists(@.max_rows_per_statement) || exists(@.budget))'),
    CASE WHEN p.registry = 'stage.overlay'::regclass THEN p.relations ELSE '{}' END
  INTO v_version, v_rules, v_oids FROM stage.policy p ORDER BY p.version DESC LIMIT 1;
  v_rules := (SELECT jsonb_agg(r.rule ORDER BY r.place) FROM jsonb_array_elements(v_rules) WITH ORDINALITY r (rule, place)
    WHERE NOT r.rule ? 'projects' OR (r.rule -> 'projects') ? (SELECT s.project_id FROM stage.session s WHERE s.id = v_session));
  IF v_rules IS NULL THEN RETURN; END IF;
  FOR v_relation IN
    WITH RECURSIVE staged (relation) AS (
      SELECT unnest(string_to_array(current_setting('stage.checked_tables'), ',')::oid[])
      UNION
      -- guard: rows of tables that inherit are checked, too
      SELECT i.inhrelid FROM staged s JOIN pg_inherits i ON i.inhparent = s.relation
    )
    SELECT s.relation FROM staged s WHERE to_regclass('stage_data.shadow_' || s.relation) IS NOT NULL ORDER BY s.relation
  LOOP
    v_covering := (SELECT jsonb_agg(c.rule) FROM stage.covering_rules(v_rules, v_oids, v_relation) c);
    CONTINUE WHEN v_covering IS NULL;
    SELECT * INTO v_found FROM stage.statement_violations(v_session, v_relation, v_mutations, v_covering);
    v_violations := v_violations || coalesce(v_found.violations, '[]');
    v_changed := (SELECT v_changed || jsonb_object_agg(c.rule ->> 'name', coalesce((v_changed ->> (c.rule ->> 'name'))::bigint, 0) + v_found.changed)
      FROM jsonb_array_elements(v_covering) c (rule));
  END LOOP;
  v_violations := v_violations || (
    SELECT coalesce(jsonb_agg(jsonb_build_object('rule', r.rule ->> 'name', 'limit', 'max_rows_per_statement',
      'says', format('at most %s rows by a statement: this one changes %s', r.rule ->> 'max_rows_per_statement', v_changed ->> (r.rule ->> 'name')))), '[]')
    FROM jsonb_array_elements(v_rules) r (rule)
    -- guard: a statement changes no more rows than the policy allows
    WHERE (v_changed ->> (r.rule ->> 'name'))::bigint > (r.rule ->> 'max_rows_per_statement')::bigint);
  -- a budget is about all tables; a statement that changes nothing is not refused
  v_budgets := (SELECT jsonb_agg(r.rule) FROM jsonb_array_elements(v_rules) r (rule) WHERE r.rule ? 'budget' AND (v_changed ->> (r.rule ->> 'name'))::bigint > 0);
  IF v_budgets IS NOT NULL THEN v_violations := v_violations || stage.budget_violations(v_session, v_budgets); END IF;
  IF v_violations <> '[]' THEN PERFORM stage.refuse_by_policy(v_version, v_violations); END IF;
END $$;
REVOKE ALL ON FUNCTION stage.check_policy() FROM PUBLIC;
