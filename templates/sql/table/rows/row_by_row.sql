  -- PostgreSQL completes one row before it begins the next one
  -- filled in src/overlay/rows/row-order.ts
  IF {{condition}} THEN
    FOR _stage_v_row IN SELECT s._stage_seq FROM {{shadow}} s WHERE {{rows}} ORDER BY s._stage_seq LOOP
      PERFORM {{function}}(_stage_v_session, _stage_v_row - 1, _stage_v_mutation, _stage_v_row);
    END LOOP;
    RETURN;
  END IF;
