  -- filled in src/overlay/triggers/fire-statement.ts: `condition` is whether the trigger fires, `tables` are its transition tables
  IF {{condition}} THEN
{{name_trigger}}    PERFORM {{copy}}(NULL, NULL, {{operation}}, {{tables}});
  END IF;
