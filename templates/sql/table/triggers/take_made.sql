  -- filled in src/overlay/triggers/fire.ts: `prepare_row` computes a row that no trigger has made
  IF coalesce(current_setting('stage.made_{{oid}}', true), '') = '' THEN
{{prepare_row}}
  ELSE
    -- triggers have fired: the staged row is the one that they made, stored beside the one that the client gave
    IF current_setting('stage.made_{{oid}}') <> '=' THEN
      _stage_v_given := ROW({{new_columns}})::{{row_type}};
      NEW := current_setting('stage.made_{{oid}}')::{{row_type}};
    END IF;
    PERFORM set_config('stage.made_{{oid}}', '', true);
{{generated}}
{{key_changed}}
  END IF;
