-- Fills columns that were added, or whose values production has changed under rows that left them alone.
-- `life` counts the insertions of a row: until the first one it is production's own.
-- Filled in src/overlay/install/carry-over.ts: f is the first version of a row, b its base, p production's row, d the defaults.
CREATE TEMPORARY TABLE stage_lives ON COMMIT DROP AS
SELECT s._stage_session AS session, s._stage_seq AS seq, coalesce(s._stage_root, s._stage_seq) AS root,
  count(*) FILTER (WHERE s._stage_op = 'I')
    OVER (PARTITION BY s._stage_session, coalesce(s._stage_root, s._stage_seq) ORDER BY s._stage_seq) AS life
FROM {{shadow}} s;

-- A row of production gets production's values.
UPDATE {{shadow}} s SET {{set_production}}, _stage_base = CASE WHEN s._stage_first THEN ROW({{base}})::{{row_type}} END
FROM pg_temp.stage_lives v
JOIN {{shadow}} f ON f._stage_session = v.session AND f._stage_seq = v.root
JOIN {{production}} p ON {{p_matches_f}}
CROSS JOIN LATERAL (SELECT (f._stage_base).*) b
WHERE v.life = 0 AND s._stage_session = v.session AND s._stage_seq = v.seq;

-- A staged row gets the defaults, once for each time it was inserted.
UPDATE {{shadow}} s SET {{set_defaults}}
FROM pg_temp.stage_lives v
JOIN (
  -- these are beside columns of the table, which may have any other name
  SELECT x.session AS _stage_session, x.root AS _stage_root, x.life AS _stage_life, {{defaults}}
  FROM (SELECT DISTINCT l.session, l.root, l.life FROM pg_temp.stage_lives l WHERE l.life > 0) x
) d ON d._stage_session = v.session AND d._stage_root = v.root AND d._stage_life = v.life
WHERE s._stage_session = v.session AND s._stage_seq = v.seq;
DROP TABLE pg_temp.stage_lives;

-- The client has set no such column, whatever triggers made of the others.
UPDATE {{shadow}} s SET _stage_given = ROW({{given}})::{{row_type}}
FROM {{shadow}} x CROSS JOIN LATERAL (SELECT (x._stage_given).*) b
WHERE x._stage_given IS DISTINCT FROM NULL AND s._stage_session = x._stage_session AND s._stage_seq = x._stage_seq;
