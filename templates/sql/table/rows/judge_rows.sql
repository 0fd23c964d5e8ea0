  SELECT count(*), v_affected + count(*) FILTER (WHERE _stage_origin = 'c' AND _stage_op IN ({{ops}})) INTO v_rows, v_affected
  FROM {{shadow}}
  WHERE _stage_session = v_session AND _stage_seq > v_start AND _stage_mutation = v_mutation;
{{run_checks}}
