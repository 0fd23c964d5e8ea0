  SELECT count(*), v_affected + count(*) FILTER (WHERE _stage_origin = 'client' AND _stage_op IN ({{ops}})) INTO v_rows, v_affected
  FROM {{shadow}}
  -- of what a subquery gives the planner knows nothing, and so one plan is as good as another: made once, not for each statement
  WHERE _stage_session = (SELECT v_session) AND _stage_seq > (SELECT v_start) AND _stage_mutation = (SELECT v_mutation);
{{run_checks}}
