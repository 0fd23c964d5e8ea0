-- Returns what stage.note_dropped has noted under the nonce in the running transaction; nothing when code has changed it.
CREATE OR REPLACE FUNCTION stage.dropped(p_nonce text) RETURNS oid[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN s.value = concat_ws(' ', split_part(s.value, ' ', 1), stage.seal(p_nonce, split_part(s.value, ' ', 1)))
    THEN split_part(s.value, ' ', 1)::oid[] ELSE '{}' END
  FROM current_setting('stage.dropped', true) s(value)
$$;
