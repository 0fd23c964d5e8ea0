  -- filled in src/overlay/triggers/fire.ts: `place` is the partition of the row. PostgreSQL looks for it before triggers fire.
  _stage_v_place := CASE WHEN _stage_p_named IS NULL THEN {{place}} ELSE stage.place_in(_stage_p_named, {{place}}) END;
  IF _stage_v_place IS NULL THEN RETURN "new"; END IF;
