-- Returns what updates did to each column that they changed, as facts. $3 is a JSON array of the
-- columns, with name and unit: what their values are measured in, if they are no numbers.
-- Filled in src/review/brief/column-facts.ts: `changes` is changes.sql, filled.
WITH {{changes}}, cell AS MATERIALIZED (
  SELECT c.number, c.row_id, k.name, k.unit, k.place, c.before -> k.name AS before, c.after -> k.name AS after,
    c.texts -> 'before' ->> k.name AS before_text, c.texts -> 'after' ->> k.name AS after_text
  FROM change c CROSS JOIN LATERAL (
    SELECT e.value ->> 'name' AS name, e.value ->> 'unit' AS unit, e.place FROM jsonb_array_elements($3::jsonb) WITH ORDINALITY e (value, place)
  ) k
  WHERE c.operation = 'UPDATE' AND ((c.before -> k.name)::text, c.texts -> 'before' ->> k.name)
    IS DISTINCT FROM ((c.after -> k.name)::text, c.texts -> 'after' ->> k.name)
), numbers AS MATERIALIZED (
  SELECT c.name, c.place, count(*) AS count, array_agg(c.row_id ORDER BY c.number) AS row_ids,
    array_agg(n.before ORDER BY c.number) AS before, array_agg(n.after ORDER BY c.number) AS after
  FROM cell c CROSS JOIN LATERAL (SELECT
    CASE WHEN jsonb_typeof(c.before) = 'number' THEN c.before::numeric END AS before,
    CASE WHEN jsonb_typeof(c.after) = 'number' THEN c.after::numeric END AS after
  ) n
  -- others have no ratio that double precision holds
  WHERE abs(n.before) < 1e18 AND abs(n.after) < 1e18 AND scale(n.before) <= 30 AND scale(n.after) <= 30
  GROUP BY c.name, c.place HAVING count(*) >= 3
), rule AS MATERIALIZED (
  SELECT n.*, r.factor, r.addend, r.explained, r.follows, r.explained * 5 >= n.count * 4 AS named
  FROM numbers n CROSS JOIN LATERAL stage.number_rule(n.before, n.after) r
), odd AS MATERIALIZED (
  SELECT r.name, count(*) AS count, jsonb_agg(o.row_id ORDER BY o.place) FILTER (WHERE o.nth <= 5) AS row_ids,
    array_agg(o.before ORDER BY o.place) AS before, array_agg(o.after ORDER BY o.place) AS after
  FROM rule r CROSS JOIN LATERAL (
    SELECT u.*, row_number() OVER (ORDER BY u.place) AS nth
    FROM unnest(r.row_ids, r.before, r.after, r.follows) WITH ORDINALITY u (row_id, before, after, follows, place) WHERE NOT u.follows
  ) o WHERE r.named GROUP BY r.name
), measure AS MATERIALIZED (
  SELECT n.name, NULL AS unit, n.before, n.after FROM numbers n
  UNION ALL
  SELECT c.name, CASE c.unit WHEN 'length' THEN c.unit ELSE 'time' END, array_agg(m.before), array_agg(m.after)
  FROM cell c
  CROSS JOIN LATERAL (SELECT CASE WHEN jsonb_typeof(c.before) = 'string' THEN c.before #>> '{}' END AS before,
    CASE WHEN jsonb_typeof(c.after) = 'string' THEN c.after #>> '{}' END AS after) t
  CROSS JOIN LATERAL (SELECT stage.measured(t.before, c.unit) AS before, stage.measured(t.after, c.unit) AS after) m
  WHERE c.unit IS NOT NULL AND m.before IS NOT NULL AND m.after IS NOT NULL
  GROUP BY c.name, c.unit HAVING count(*) >= 3
), bin AS MATERIALIZED (
  SELECT n.name, n.unit, e.low, e.high, (
    SELECT jsonb_agg(jsonb_build_array(b.before, b.after) ORDER BY b.bin) FROM (
      SELECT g.bin, count(*) FILTER (WHERE v.is_before) AS before, count(*) FILTER (WHERE NOT v.is_before) AS after
      FROM generate_series(1, 12) g (bin) LEFT JOIN (
        SELECT least(width_bucket(u.value, e.low, e.high, 12), 12) AS bin, u.is_before
        FROM (SELECT unnest(n.before) AS value, true AS is_before UNION ALL SELECT unnest(n.after), false) u
      ) v USING (bin) GROUP BY g.bin) b
  ) AS bins
  FROM measure n CROSS JOIN LATERAL (
    SELECT least(min(u.before), min(u.after)) AS low, greatest(max(u.before), max(u.after)) AS high
    FROM unnest(n.before, n.after) u (before, after)
  ) e WHERE e.low < e.high
), pair AS MATERIALIZED (
  SELECT c.name, coalesce(to_jsonb(c.before_text), c.before) AS before, coalesce(to_jsonb(c.after_text), c.after) AS after,
    count(*) AS rows, row_number() OVER (PARTITION BY c.name) AS nth
  FROM cell c GROUP BY c.name, c.before, c.before_text, c.after, c.after_text
), shown AS MATERIALIZED (
  SELECT p.name, count(*) AS pairs, jsonb_agg(jsonb_build_object('before', p.before, 'after', p.after, 'rows', p.rows)
    ORDER BY p.rows DESC, p.before::text COLLATE "C", p.after::text COLLATE "C") AS pairs_shown
  FROM pair p GROUP BY p.name HAVING count(*) <= 12 AND max(length(p.before::text) + length(p.after::text)) <= 400
), summary AS MATERIALIZED (
  SELECT c.name, c.place, count(*) AS rows, count(DISTINCT (md5(c.after::text), md5(c.after_text))) AS "values",
    count(*) FILTER (WHERE jsonb_typeof(c.before) = 'null' AND c.before_text IS NULL) AS filled,
    count(*) FILTER (WHERE jsonb_typeof(c.after) = 'null' AND c.after_text IS NULL) AS emptied,
    min(coalesce(to_jsonb(c.after_text), c.after)::text) AS "value"
  FROM cell c GROUP BY c.name, c.place
)
SELECT s.name AS "column", s.rows, coalesce(o.count, 0) AS outliers, jsonb_build_object('column', s.name, 'rows', s.rows) || CASE
  WHEN s."values" = 1 AND s.rows >= 3 AND length(s."value") <= 400 THEN jsonb_build_object('kind', 'constant', 'value', s."value"::jsonb)
  WHEN r.named THEN jsonb_build_object('kind', 'rule', 'of', r.count, 'explained', r.explained, 'factor', r.factor, 'addend', r.addend)
    || CASE WHEN o.name IS NULL THEN '{}' ELSE jsonb_build_object('others', o.count, 'keys', o.row_ids)
      || CASE WHEN x.explained * 5 >= o.count * 4 AND o.count >= 3 THEN jsonb_build_object('other_factor', x.factor,
           'other_addend', x.addend, 'other_explained', x.explained) ELSE '{}' END END
  WHEN v.name IS NOT NULL THEN jsonb_build_object('kind', 'values', 'pairs', v.pairs_shown)
  WHEN r.name IS NOT NULL THEN jsonb_build_object('kind', 'range', 'of', r.count) || (
    SELECT jsonb_build_object('up', count(*) FILTER (WHERE u.after > u.before), 'down', count(*) FILTER (WHERE u.after < u.before),
      'lowest', min(u.percent), 'median', percentile_disc(0.5) WITHIN GROUP (ORDER BY u.percent), 'highest', max(u.percent))
    FROM (SELECT b.before, b.after, CASE WHEN b.before <> 0 THEN round(100 * (b.after - b.before) / abs(b.before), 1) END AS percent
      FROM unnest(r.before, r.after) b (before, after)) u)
  ELSE jsonb_build_object('kind', 'changed', 'values', s."values") END
  || CASE WHEN b.name IS NULL OR b.unit = 'length' AND (v.name IS NOT NULL OR s."values" = 1) THEN '{}'
    WHEN b.unit IS NOT NULL THEN jsonb_build_object('unit', b.unit, 'low', b.low, 'high', b.high, 'bins', b.bins) ELSE jsonb_build_object('low', b.low, 'high', b.high, 'bins', b.bins) END
  || jsonb_strip_nulls(jsonb_build_object('filled', nullif(s.filled, 0), 'emptied', nullif(s.emptied, 0))) AS fact
FROM summary s LEFT JOIN rule r ON r.name = s.name LEFT JOIN odd o ON o.name = s.name LEFT JOIN shown v ON v.name = s.name
LEFT JOIN bin b ON b.name = s.name
LEFT JOIN LATERAL stage.number_rule(o.before, o.after) x ON o.name IS NOT NULL
ORDER BY s.place
