-- Whether another transaction has made a version of a row, and ended, since the running statement began. p_xmin: the version's xmin, which
-- counts modulo 2^32.
CREATE OR REPLACE FUNCTION stage.came_since(p_xmin xid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT x.since < 2147483648 AND NOT stage.is_own_version(p_xmin) AND NOT pg_visible_in_snapshot((x.oldest + x.since)::text::xid8, x.entered)
  FROM (SELECT s.entered, s.oldest, (p_xmin::text::int8 - s.oldest) & 4294967295 AS since
        FROM (SELECT e.entered, pg_snapshot_xmin(e.entered)::text::int8 AS oldest
              FROM (SELECT current_setting('stage.entered')::pg_snapshot AS entered) e) s) x
$$;
REVOKE ALL ON FUNCTION stage.came_since(xid) FROM PUBLIC;
