-- Returns the rule after = before * factor + addend that explains most pairs, the simplest of several: one value for all (factor 0), the
-- same difference, a factor, a line. A product may be rounded to the places that the values have. Nothing is returned for no pairs.
CREATE OR REPLACE FUNCTION stage.number_rule(p_before numeric[], p_after numeric[],
  OUT factor numeric, OUT addend numeric, OUT explained bigint, OUT follows boolean[])
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
  WITH pair AS MATERIALIZED (
    SELECT p.place, p.before, p.after, u.half + 0.000000001 * abs(p.after) AS slack,
      CASE WHEN p.before <> 0 THEN round(p.after / p.before, 8) END AS ratio
    FROM unnest(p_before, p_after) WITH ORDINALITY p (before, after, place)
    CROSS JOIN (SELECT 0.5 * 10::numeric ^ -max(scale(v.after)) AS half FROM unnest(p_after) v (after)) u
  ), usual AS MATERIALIZED (
    -- the middle half of the ratios, which rows that break the rule do not reach; equal ratios have places of their own
    SELECT round(regr_slope(m.after::float8, m.before::float8)::numeric, 4) AS slope, avg(m.after) AS after, avg(m.before) AS before,
      percentile_disc(0.5) WITHIN GROUP (ORDER BY m.ratio) AS ratio
    FROM (SELECT p.*, row_number() OVER (ORDER BY p.ratio, p.place) - 1 AS rank, count(*) OVER () - 1 AS last FROM pair p WHERE p.ratio IS NOT NULL) m
    WHERE m.rank * 4 BETWEEN m.last AND m.last * 3
  ), candidate AS MATERIALIZED (
    SELECT 1 AS place, 0::numeric AS factor, mode() WITHIN GROUP (ORDER BY p.after) AS addend FROM pair p
    UNION ALL
    SELECT 2, 1, mode() WITHIN GROUP (ORDER BY p.after - p.before) FROM pair p
    UNION ALL
    SELECT 3 + d, round(u.ratio, d), 0 FROM usual u CROSS JOIN generate_series(0, 4) d WHERE round(u.ratio, d) NOT IN (0, 1)
    UNION ALL
    SELECT 8 + d, u.slope, round(u.after - u.slope * u.before, d) FROM usual u CROSS JOIN generate_series(0, 4) d WHERE u.slope NOT IN (0, 1)
  )
  SELECT trim_scale(j.factor), trim_scale(j.addend), j.explained, (
    SELECT array_agg(abs(p.after - (j.factor * p.before + j.addend)) <= CASE WHEN j.is_exact THEN 0 ELSE p.slack END ORDER BY p.place) FROM pair p)
  FROM (
    SELECT c.*, (
      SELECT count(*) FROM pair p
      WHERE abs(p.after - (c.factor * p.before + c.addend)) <= CASE WHEN c.is_exact THEN 0 ELSE p.slack END
    ) AS explained
    FROM (SELECT d.*, d.factor IN (0, 1) AS is_exact FROM candidate d WHERE d.addend IS NOT NULL OFFSET 0) c
    ORDER BY explained DESC, c.place LIMIT 1
  ) j
$$;
REVOKE ALL ON FUNCTION stage.number_rule(numeric[], numeric[]) FROM PUBLIC;
