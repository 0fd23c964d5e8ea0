  -- what PostgreSQL does for one row comes before all that it does for the next one
  IF {{condition}} THEN
    FOR v_row IN SELECT s._stage_seq FROM {{shadow}} s WHERE {{rows}} ORDER BY s._stage_seq LOOP
      PERFORM {{function}}(v_session, v_row - 1, v_mutation, v_row);
    END LOOP;
    RETURN;
  END IF;
