-- Returns a hash of a trigger and of its function's body; NULL if there is no such trigger, or it is disabled.
CREATE OR REPLACE FUNCTION stage.trigger_definition(p_relation oid, p_trigger text) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT md5(concat_ws(' ', pg_get_triggerdef(t.oid), p.prosrc)) FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
  WHERE t.tgrelid = p_relation AND t.tgname = p_trigger AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')
$$;
REVOKE ALL ON FUNCTION stage.trigger_definition(oid, text) FROM PUBLIC;
