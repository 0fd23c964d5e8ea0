  -- filled in src/overlay/triggers/fire-after.ts; what triggers write fires triggers at the end of its own statement
  IF _stage_v_nested THEN PERFORM stage.demand_owner_reads({{oid}}); END IF;
