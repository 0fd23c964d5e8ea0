  -- filled in src/overlay/triggers/fire-after.ts
  IF NOT stage.fires_as_owner({{oid}}) THEN
    CLOSE _stage_v_rows;
{{close_sets}}    RETURN NULL;
  END IF;
