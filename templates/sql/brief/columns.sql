-- Returns what updates did to each column that they changed, as facts. $3 is a JSON array of the columns, with name and unit: the measure
-- of values that are no numbers.
-- Filled in src/review/brief/sample.ts: `changes` is changes.sql, filled.
WITH {{changes}}, wanted AS MATERIALIZED (
  SELECT e.value ->> 'name' AS name, e.value ->> 'unit' AS unit, e.place FROM jsonb_array_elements($3::jsonb) WITH ORDINALITY e (value, place)
), cell AS MATERIALIZED (
  SELECT c.number, c.row_id, w.name, w.unit, w.place, v.*
  FROM change c CROSS JOIN wanted w CROSS JOIN LATERAL (
    SELECT j.*, j.before::text COLLATE "C" AS before_json, j.after::text COLLATE "C" AS after_json FROM (
      SELECT c.before -> w.name AS before, c.after -> w.name AS after, (c.texts -> 'before' ->> w.name) COLLATE "C" AS before_text,
        (c.texts -> 'after' ->> w.name) COLLATE "C" AS after_text OFFSET 0
    ) j OFFSET 0
  ) v
  WHERE c.operation = 'UPDATE' AND (v.before_json, v.before_text) IS DISTINCT FROM (v.after_json, v.after_text)
), numbers AS MATERIALIZED (
  SELECT c.name, c.place, count(*) AS count, array_agg(c.row_id ORDER BY c.number) AS row_ids,
    array_agg(n.before ORDER BY c.number) AS before, array_agg(n.after ORDER BY c.number) AS after
  FROM cell c CROSS JOIN LATERAL (SELECT
    CASE WHEN jsonb_typeof(c.before) = 'number' THEN c.before::numeric END AS before,
    CASE WHEN jsonb_typeof(c.after) = 'number' THEN c.after::numeric END AS after
  ) n
  -- double precision cannot hold the ratios of other values
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
  SELECT c.name, c.place, c.before_json, c.before_text, c.after_json, c.after_text, count(*) AS rows
  FROM cell c GROUP BY c.name, c.place, c.before_json, c.before_text, c.after_json, c.after_text
), summary AS MATERIALIZED (
  SELECT p.name, p.place, count(*) AS pairs, sum(p.rows)::bigint AS rows, count(DISTINCT (p.after_json, p.after_text)) AS "values",
    sum(p.rows) FILTER (WHERE p.before_json = 'null' AND p.before_text IS NULL) AS filled,
    sum(p.rows) FILTER (WHERE p.after_json = 'null' AND p.after_text IS NULL) AS emptied,
    min(coalesce(to_jsonb(p.after_text)::text, p.after_json)) AS "value"
  FROM pair p GROUP BY p.name, p.place
), shown AS MATERIALIZED (
  SELECT p.name, jsonb_agg(jsonb_build_object('before', p.before::jsonb, 'after', p.after::jsonb, 'rows', p.rows)
    ORDER BY p.rows DESC, p.before, p.after) AS pairs_shown
  FROM (
    SELECT p.name, coalesce(to_jsonb(p.before_text)::text, p.before_json) AS before, coalesce(to_jsonb(p.after_text)::text, p.after_json) AS after, p.rows
    -- with more pairs than these, values are not listed
    FROM pair p WHERE p.name IN (SELECT s.name FROM summary s WHERE s.pairs <= 12)
  ) p GROUP BY p.name HAVING max(length(p.before) + length(p.after)) <= 400
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
  || jsonb_strip_nulls(jsonb_build_object('filled', s.filled, 'emptied', s.emptied)) AS fact
FROM summary s LEFT JOIN rule r ON r.name = s.name LEFT JOIN odd o ON o.name = s.name LEFT JOIN shown v ON v.name = s.name
LEFT JOIN bin b ON b.name = s.name
LEFT JOIN LATERAL stage.number_rule(o.before, o.after) x ON o.name IS NOT NULL
ORDER BY s.place
