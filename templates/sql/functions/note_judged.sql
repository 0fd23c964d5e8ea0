-- Records that the client's statement stages in a table: stage.judge_statement judges the tables of one statement together.
CREATE OR REPLACE FUNCTION stage.note_judged(p_relation text, p_is_new boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_judged text := CASE WHEN p_is_new THEN '' ELSE coalesce(current_setting('stage.judged', true), '') END;
BEGIN
  IF p_relation = ANY (string_to_array(v_judged, ',')) THEN RETURN; END IF;
  PERFORM set_config('stage.judged', concat_ws(',', nullif(v_judged, ''), p_relation), true);
END $$;
REVOKE ALL ON FUNCTION stage.note_judged(text, boolean) FROM PUBLIC;
