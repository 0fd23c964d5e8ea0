  -- Rows that triggers write belong to the statement that they fire for, and are checked at once.
  -- Filled in src/overlay/triggers/fire-after.ts.
  _stage_v_was := ARRAY[current_setting('stage.origin', true), current_setting('stage.mutation', true), current_setting('stage.check_later', true),
    current_setting('stage.cause_relation', true), current_setting('stage.cause', true), current_setting('stage.trigger', true), current_setting('stage.causes', true)];
  PERFORM set_config('stage.origin', 'trigger', true), set_config('stage.mutation', _stage_v_mutation::text, true),
    set_config('stage.check_later', '', true), set_config('stage.cause_relation', '{{oid}}', true), set_config('stage.causes', '', true);
