  -- filled in src/overlay/triggers/fire-after.ts
  -- guard: rows of other tables fire no trigger with its owner's rights
  IF (SELECT c.relowner FROM pg_class c WHERE c.oid = TG_RELID) <> current_user::regrole THEN
    RAISE EXCEPTION 'permission denied: the trigger belongs to another table' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF NOT stage.fires_as_owner({{oid}}) THEN
    CLOSE _stage_v_rows;
    RETURN NULL;
  END IF;
