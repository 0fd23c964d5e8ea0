  -- counts the statement's rows in one table, and checks them; filled in src/overlay/rows/after-statement.ts
  SELECT count(*), _stage_v_affected + count(*) FILTER (WHERE _stage_origin = 'client' AND _stage_op IN ({{ops}})) INTO _stage_v_rows, _stage_v_affected
  FROM {{shadow}}
  -- the planner knows nothing of what a subquery returns, so one plan is as good as another: it is made once, not for each statement
  WHERE _stage_session = (SELECT _stage_v_session) AND _stage_seq > (SELECT _stage_v_start) AND _stage_mutation = (SELECT _stage_v_mutation);
{{run_checks}}
