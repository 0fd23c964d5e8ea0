  -- filled in src/overlay/rows/colliding-row.ts: reads the colliding row, for which policies must allow that it is seen
  IF _stage_v_collision._stage_v_index IS NOT NULL AND _stage_v_conflict OPERATOR(pg_catalog.->>) 'action' OPERATOR(pg_catalog.=) 'update' THEN
    {{searches}}
    -- guard: DO UPDATE of a row that policies hide is refused
    IF NOT FOUND THEN RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = pg_catalog.concat('new row violates row-level security policy (USING expression) for table "', {{table_name}}, '"'); END IF;
  END IF;
