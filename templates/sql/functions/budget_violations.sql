-- Returns the budgets of some rules of the policy that an active session could not be proposed with, in the words of
-- src/review/policy/evaluate.ts. Its rows are counted only where a budget is that of one of its authors.
CREATE OR REPLACE FUNCTION stage.budget_violations(p_session uuid, p_rules jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_rows bigint;
  v_budgets jsonb := (
    SELECT jsonb_agg(jsonb_build_object('rule', r.rule -> 'name', 'most', r.rule #> '{budget,rows_per_day}', 'person', p.person, 'zone', z.zone,
      'spent', stage.spent_today(p.person, p_session, z.zone, r.rule -> 'projects')) ORDER BY r.place, p.person)
    FROM jsonb_array_elements(p_rules) WITH ORDINALITY r (rule, place)
    CROSS JOIN LATERAL (SELECT coalesce(r.rule #>> '{budget,zone}', 'UTC') AS zone) z
    -- names are of ASCII: see src/config/tokens.ts
    CROSS JOIN (SELECT DISTINCT lower(n.name COLLATE "C") AS person
      FROM stage.session s CROSS JOIN unnest(s.earlier_authors || ARRAY[s.created_as]) n (name) WHERE s.id = p_session AND n.name IS NOT NULL) p
    WHERE r.rule ? 'budget' AND (NOT (r.rule -> 'budget') ? 'of' OR EXISTS (
      SELECT FROM jsonb_array_elements_text(r.rule #> '{budget,of}') o (name) WHERE lower(o.name COLLATE "C") = p.person)));
BEGIN
  IF v_budgets IS NULL THEN RETURN '[]'; END IF;
  v_rows := (SELECT coalesce(sum(f.row_count), 0) FROM stage.policy_facts(p_session) f);
  RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('rule', b.rule, 'limit', 'budget',
    'says', format('at most %s rows a day by %s (%s): %s were proposed today, and this session would have %s', b.most, b.person, b.zone, b.spent, v_rows))), '[]')
    FROM jsonb_to_recordset(v_budgets) b (rule text, most bigint, person text, zone text, spent bigint)
    -- guard: a statement stages no more than its author may propose today
    WHERE b.spent + v_rows > b.most);
END $$;
REVOKE ALL ON FUNCTION stage.budget_violations(uuid, jsonb) FROM PUBLIC;
