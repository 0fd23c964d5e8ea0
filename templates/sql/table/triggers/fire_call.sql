  -- filled in src/overlay/triggers/fire.ts: `condition` is the WHEN of the trigger, `take` makes its row that of the next one; `begin` and `end`
  -- stand around a trigger that writes, `place` passes the partition of a new row, `suppress` checks the notifications of a row that is suppressed
  IF {{condition}} THEN
{{begin}}    _stage_p_result := {{copy}}("new", "old", {{operation}}{{place}});
{{end}}    IF _stage_p_result IS NOT DISTINCT FROM NULL THEN {{suppress}}RETURN NULL; END IF;
    {{take}}
  END IF;
