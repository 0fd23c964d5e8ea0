-- Returns the cursors WITH HOLD that stage.note_held has recorded under the nonce in the transaction, as [[name, creation time], ...]; none
-- when code has changed them.
CREATE OR REPLACE FUNCTION stage.held(p_nonce text) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN s.value = concat_ws(' ', stage.seal(p_nonce, s.cursors), s.cursors) THEN s.cursors::jsonb ELSE '[]' END
  FROM (SELECT v.value, substr(v.value, strpos(v.value, ' ') + 1) AS cursors FROM current_setting('stage.held', true) v(value)) s
$$;
