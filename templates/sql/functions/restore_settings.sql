-- Sets the settings that a staged statement had, for production's triggers: until the end of the transaction, or the next call. p_former
-- has those of the call before, which are empty then. A connection that has had a setting never loses it: it is empty, and not NULL, for
-- whoever reads it later. So the message ends the connection when it is given back (src/db/connections.ts); clients get INFO in any case.
CREATE OR REPLACE FUNCTION stage.restore_settings(p_former jsonb, p_settings jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF p_former IS NOT DISTINCT FROM p_settings THEN RETURN; END IF;
  PERFORM set_config(n.name, coalesce(p_settings ->> n.name, ''), true)
  FROM (SELECT jsonb_object_keys(p_former) UNION SELECT jsonb_object_keys(p_settings)) n (name)
  -- guard: a log that was tampered with sets nothing of the server, of an extension or of the service
  WHERE n.name LIKE '_%.%' AND n.name !~* '^stage\.' AND NOT EXISTS (SELECT FROM pg_settings s WHERE lower(s.name) = lower(n.name))
    AND current_setting(n.name, true) IS DISTINCT FROM coalesce(p_settings ->> n.name, '')
  ORDER BY n.name;
  IF FOUND THEN RAISE INFO 'the connection keeps settings of a session' USING ERRCODE = 'ST007'; END IF;
END $$;
REVOKE ALL ON FUNCTION stage.restore_settings(jsonb, jsonb) FROM PUBLIC;
