-- Returns whether a transaction began to write when p_since was the next transaction id, or later. Transaction ids wrap around: a row that
-- was frozen long ago may seem new.
CREATE OR REPLACE FUNCTION stage.is_since(p_transaction xid, p_since bigint) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ((p_transaction::pg_catalog.text::bigint OPERATOR(pg_catalog.-) p_since) OPERATOR(pg_catalog.&) 4294967295) OPERATOR(pg_catalog.<) 2147483648
$$;
REVOKE ALL ON FUNCTION stage.is_since(xid, bigint) FROM PUBLIC;
