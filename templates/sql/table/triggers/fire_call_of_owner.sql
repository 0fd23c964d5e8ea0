  -- filled in src/overlay/triggers/fire.ts, as fire_call.sql is
  IF {{condition}} THEN
    -- as text: no cast converts the row with the rights of the service
{{begin}}    _stage_p_run := stage.exact_record({{copy}}("new", "old", {{operation}}{{place}}));
{{end}}    IF _stage_p_run IS NULL THEN RETURN NULL; END IF;
    {{take}}
  END IF;
