  -- filled in src/overlay/triggers/fire-runs.ts: triggers behind this one fire for no row for which it does not, see stage.decide_firing
  -- guard: no text of a client is the row for which triggers with their owners' rights fire
  PERFORM set_config('stage.run_{{oid}}', '', true);
  IF current_setting('stage.unfired_{{oid}}', true) = 'on' THEN RETURN {{row}}; END IF;
