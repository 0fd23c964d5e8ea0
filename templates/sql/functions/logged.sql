-- Returns what stage.note_logged has noted under the nonce in the running transaction, as {OID of a table: rows}; nothing when code has
-- changed it.
CREATE OR REPLACE FUNCTION stage.logged(p_nonce text) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN s.value = concat_ws(' ', stage.seal(p_nonce, s.logged), s.logged) THEN s.logged::jsonb ELSE '{}' END
  FROM (SELECT v.value, substr(v.value, strpos(v.value, ' ') + 1) AS logged FROM current_setting('stage.logged', true) v(value)) s
$$;
