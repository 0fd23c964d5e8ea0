-- Notes how many rows the counters show for tables that only event triggers of the service's own DDL have written to in the running
-- transaction, sealed by the nonce. A larger number that is noted already stays.
CREATE OR REPLACE FUNCTION stage.note_logged(p_nonce text, p_logged jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_logged text := (
    SELECT jsonb_object_agg(e.key, e.rows)
    FROM (SELECT l.key, max(l.value::bigint) AS rows
      FROM (SELECT * FROM jsonb_each_text(stage.logged(p_nonce)) UNION ALL SELECT * FROM jsonb_each_text(p_logged)) l GROUP BY l.key) e);
BEGIN
  IF v_logged IS NULL THEN RETURN; END IF;
  PERFORM set_config('stage.logged', concat_ws(' ', stage.seal(p_nonce, v_logged), v_logged), true);
END $$;
