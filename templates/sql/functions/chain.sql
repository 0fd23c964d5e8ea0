-- Computes the hash chain as an aggregate: chain(start, link) is sha256(... sha256(sha256(start || link 1) || link 2) ... || link n).
-- Test vectors, with links in UTF-8: chain('', 'a') = sha256('a') = ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb;
-- chain('', 'a'), ('', 'b') = sha256(the 32 bytes above || 'b') = 984f3f7d5798372d9f995b87369940292998ff35bd6bf414c1be64b2f9dfa7ca.
CREATE OR REPLACE FUNCTION stage.chain_link(p_hash bytea, p_start bytea, p_link bytea) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN pg_catalog.sha256(coalesce(p_hash, p_start) OPERATOR(pg_catalog.||) p_link);
END $$;

CREATE OR REPLACE AGGREGATE stage.chain(p_start bytea, p_link bytea) (SFUNC = stage.chain_link, STYPE = bytea, PARALLEL = SAFE);

REVOKE ALL ON FUNCTION stage.chain_link(bytea, bytea, bytea), stage.chain(bytea, bytea) FROM PUBLIC;
