  -- filled in src/overlay/triggers/fire-after.ts: `condition` is the WHEN of the trigger, `copy_name` the name of its copy as a literal
  IF {{condition}} THEN
    IF stage.is_deferred({{oid}}, {{name}}, {{initially}}) THEN
      PERFORM stage.defer_firing({{copy_name}}, stage.exact_row("new"), stage.exact_row("old"), {{operation}});
    ELSE
      PERFORM {{copy}}("new", "old", {{operation}});
    END IF;
  END IF;
