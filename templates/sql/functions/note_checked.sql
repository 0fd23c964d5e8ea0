-- Records that the client's statement stages in a table: stage.check_policy checks the tables of one statement together.
CREATE OR REPLACE FUNCTION stage.note_checked(p_relation text, p_is_new boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_checked text := CASE WHEN p_is_new THEN '' ELSE coalesce(current_setting('stage.checked_tables', true), '') END;
BEGIN
  IF p_relation = ANY (string_to_array(v_checked, ',')) THEN RETURN; END IF;
  PERFORM set_config('stage.checked_tables', concat_ws(',', nullif(v_checked, ''), p_relation), true);
END $$;
REVOKE ALL ON FUNCTION stage.note_checked(text, boolean) FROM PUBLIC;
