  SELECT count(*), _stage_v_affected + count(*) FILTER (WHERE _stage_origin = 'client' AND _stage_op IN ({{ops}})) INTO _stage_v_rows, _stage_v_affected
  FROM {{shadow}}
  -- of what a subquery gives the planner knows nothing, and so one plan is as good as another: made once, not for each statement
  WHERE _stage_session = (SELECT _stage_v_session) AND _stage_seq > (SELECT _stage_v_start) AND _stage_mutation = (SELECT _stage_v_mutation);
{{run_checks}}
