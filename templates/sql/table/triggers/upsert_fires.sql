  -- filled in src/overlay/triggers/fire-upsert.ts: `fired` is the function of upsert_function.sql
  _stage_v_overriding := pg_catalog.current_setting('stage.overriding_{{oid}}', true);
  _stage_v_fired := {{fired}}(NEW);
  IF _stage_v_fired._stage_p_text IS NULL THEN
    PERFORM stage.give_up_row({{oid}}::pg_catalog.oid);
    PERFORM pg_catalog.set_config('stage.check_later', '', true);
    RETURN NULL;
  END IF;
  _stage_v_given := _stage_v_fired.new;
  _stage_v_new := _stage_v_fired._stage_p_made;
  -- the missing values of the row have been drawn
  PERFORM pg_catalog.set_config('stage.overriding_{{oid}}', 'system', true);
