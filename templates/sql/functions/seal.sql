-- Returns a hash which shows that whoever wrote a value knew the nonce.
CREATE OR REPLACE FUNCTION stage.seal(p_nonce text, p_value text) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT encode(sha256(convert_to(concat_ws(' ', p_nonce, p_value), 'UTF8')), 'hex')
$$;
