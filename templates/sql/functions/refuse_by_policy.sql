-- Raises the error for a statement that the policy does not allow. Table "policy" of schema "stage" and the rule as its constraint mark it
-- for programs, and for the proxy: another way of staging the same rows would not help.
CREATE OR REPLACE FUNCTION stage.refuse_by_policy(p_version bigint, p_violations jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_limit text := p_violations #>> '{0,limit}';
BEGIN
  RAISE EXCEPTION 'the policy does not allow it: %',
    (SELECT string_agg(format('rule %s: %s', v.violation -> 'rule', v.violation ->> 'says'), '; ' ORDER BY v.place)
     FROM jsonb_array_elements(p_violations) WITH ORDINALITY v (violation, place))
    USING ERRCODE = CASE WHEN v_limit LIKE 'deny%' THEN 'insufficient_privilege' ELSE 'program_limit_exceeded' END,
      DETAIL = format('limit %s, version %s of the policy', v_limit, p_version),
      HINT = CASE v_limit
        WHEN 'max_rows_per_statement' THEN 'Nothing was staged. Change fewer rows at a time. stage policy show has the rules.'
        WHEN 'max_rows' THEN 'Nothing was staged. Propose what the session has, and go on in another one; or take rows out: stage unstage. stage policy show has the rules.'
        WHEN 'budget' THEN 'Nothing was staged. Change fewer rows, go on tomorrow, or take rows out: stage unstage. stage policy show has the rules.'
        ELSE 'Nothing was staged. Leave it out, or have an operator change the rule: stage policy show.' END,
      SCHEMA = 'stage', TABLE = 'policy', CONSTRAINT = p_violations #>> '{0,rule}';
END $$;
REVOKE ALL ON FUNCTION stage.refuse_by_policy(bigint, jsonb) FROM PUBLIC;
