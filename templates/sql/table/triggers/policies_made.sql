  -- filled in src/overlay/rows/policies.ts
  -- guard: policies apply to the row as triggers made it
  IF TG_OP OPERATOR(pg_catalog.<>) 'DELETE' AND coalesce(pg_catalog.current_setting('stage.made_{{oid}}', true), '') OPERATOR(pg_catalog.<>) ALL ('{"",=}') THEN
    _stage_v_given := NEW;
    _stage_v_is_made := true;
    NEW := {{made_row}}(pg_catalog.current_setting('stage.made_{{oid}}'));
  END IF;
