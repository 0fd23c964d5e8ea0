  -- The statement's tombstones hide every production row of their images: a row that it did not change becomes a staged row, as it is.
  -- Filled in src/overlay/rows/keyless.ts: `rows_t` and `rows_s` select the statement's rows.
  FOR _stage_v_copies IN
    WITH tombstones AS (
      SELECT t.* FROM {{shadow}} t WHERE {{rows_t}} AND {{t_is_tombstone}}
    ), touched AS (
      SELECT s._stage_old_1 AS image, count(*) AS copies FROM {{shadow}} s
      WHERE {{rows_s}} AND s._stage_first GROUP BY 1
    ), adopted AS (
      SELECT s._stage_image AS image, count(*) AS copies FROM {{shadow}} s
      WHERE {{rows_s}} AND s._stage_op = 'I' AND s._stage_origin = 'overlay' GROUP BY 1
    ), present AS (
      SELECT t._stage_image AS image, count(*) AS copies
      FROM tombstones t JOIN {{source}} p ON {{p_looks_like_t}} GROUP BY 1
    )
    SELECT t._stage_seq AS tombstone, coalesce(p.copies, 0) - u.copies - coalesce(a.copies, 0) AS remaining
    FROM tombstones t JOIN touched u ON u.image = t._stage_image
    LEFT JOIN adopted a ON a.image = t._stage_image LEFT JOIN present p ON p.image = t._stage_image
    WHERE coalesce(p.copies, 0) <> u.copies + coalesce(a.copies, 0)
  LOOP
    IF _stage_v_copies.remaining < 0 THEN
      -- the row that was read was a staged one, and another connection has changed it since
      PERFORM FROM {{shadow}} s JOIN {{shadow}} t ON t._stage_session = _stage_v_session AND t._stage_seq = _stage_v_copies.tombstone
      WHERE s._stage_session = _stage_v_session AND s._stage_old_1 = t._stage_image AND stage.came_since(s._stage_mutation);
      IF FOUND THEN PERFORM stage.raise_changed(); END IF;
      PERFORM stage.touched_twice({{oid}});
      {{raise_ambiguous}}
    END IF;
    INSERT INTO {{shadow}} ({{columns}},
      _stage_session, _stage_mutation, _stage_op, _stage_origin,
      _stage_head)
    SELECT {{t_columns}},
      _stage_v_session, _stage_v_mutation, 'I', 'overlay',
      true
    FROM {{shadow}} t CROSS JOIN generate_series(1, _stage_v_copies.remaining)
    WHERE t._stage_session = _stage_v_session AND t._stage_seq = _stage_v_copies.tombstone;
  END LOOP;
