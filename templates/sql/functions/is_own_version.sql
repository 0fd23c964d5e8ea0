-- Returns whether the running transaction, or one of its savepoints, has made a row version that it sees. p_xmin: the version's xmin, which
-- counts modulo 2^32: the transaction's own ids are not older than the oldest transaction that the snapshot shows as running.
CREATE OR REPLACE FUNCTION stage.is_own_version(p_xmin xid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN x.since < 2147483648 THEN pg_xact_status((x.oldest + x.since)::text::xid8) = 'in progress' ELSE false END
  FROM (SELECT s.oldest, (p_xmin::text::int8 - s.oldest) & 4294967295 AS since
        FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::int8 AS oldest) s) x
$$;
