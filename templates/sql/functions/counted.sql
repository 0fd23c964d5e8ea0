-- Returns what stage.note_counted and stage.merge_target have noted under the nonce in the running transaction; 0 when code has changed it.
CREATE OR REPLACE FUNCTION stage.counted(p_nonce text) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN s.value = concat_ws(' ', split_part(s.value, ' ', 1), stage.seal(p_nonce, split_part(s.value, ' ', 1)))
    THEN split_part(s.value, ' ', 1)::bigint ELSE 0 END
  FROM current_setting('stage.counted', true) s(value)
$$;
