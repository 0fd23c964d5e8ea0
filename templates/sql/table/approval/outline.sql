-- Counts the net changes of a session in chunks of p_size: returns after which number each chunk begins, and how many of each kind it has.
-- Filled in src/overlay/approval/diff.ts: `net_changes` is net_changes.sql, filled.
CREATE FUNCTION {{function}}(p_session uuid, p_size int)
RETURNS TABLE (after bigint, inserts bigint, updates bigint, deletes bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $body$
#variable_conflict use_variable
BEGIN
  RETURN QUERY
  SELECT coalesce(lag(max(c.number)) OVER (ORDER BY c.chunk), 0), count(*) FILTER (WHERE c.operation = 'INSERT'),
    count(*) FILTER (WHERE c.operation = 'UPDATE'), count(*) FILTER (WHERE c.operation = 'DELETE')
  FROM (
    SELECT _stage_f._stage_seq AS number, o.operation, (row_number() OVER (ORDER BY _stage_f._stage_seq) - 1) / p_size AS chunk
    FROM {{net_changes}}
  ) c
  GROUP BY c.chunk ORDER BY c.chunk;
END $body$;
REVOKE ALL ON FUNCTION {{function}}(uuid, int) FROM PUBLIC;
