-- Runs before a staged statement that may run user code: notes what the transaction has written so far to the catalogs, and to the tables
-- of event triggers (see stage.note_logged). Only settings can keep values in a statement of any role, and its code can change them; the
-- nonce, which only the proxy knows, seals this one.
CREATE OR REPLACE FUNCTION stage.begin_tripwire(p_nonce text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_logged text := substr(current_setting('stage.logged', true), strpos(current_setting('stage.logged', true), ' ') + 1);
  v_writes text := stage.catalog_writes();
BEGIN
  -- code that has changed the names of the tables has gained nothing: no statement may add to their rows, nor COMMIT keep what it added
  IF v_logged <> '' THEN
    SELECT replace(jsonb_object_agg(t.oid, stage.rows_written(t.oid::oid))::text, ' ', '') INTO v_logged
    FROM jsonb_object_keys(v_logged::jsonb) t(oid);
    PERFORM set_config('stage.logged_before', v_logged, true);
  END IF;
  v_writes := concat_ws('/', v_writes, nullif(v_logged, ''));
  PERFORM set_config('stage.seal', concat_ws(' ', v_writes, stage.seal(p_nonce, v_writes)), true);
END $$;
