  -- filled in src/overlay/triggers/fire-after.ts: `condition` is the WHEN of the trigger
  IF {{condition}} THEN
{{name_trigger}}    PERFORM {{copy}}("new", "old", {{operation}});
  END IF;
