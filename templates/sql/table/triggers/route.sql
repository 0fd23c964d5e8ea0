  -- filled in src/overlay/triggers/fire.ts: `place` is the partition of the row. PostgreSQL looks for it before triggers fire.
  _stage_v_place := {{place}};
  IF _stage_v_place IS NULL THEN RETURN "new"; END IF;
