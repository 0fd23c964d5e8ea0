  -- takes a staged row that equals OLD; else one of production's, and with the first of those all that are equal become staged rows
  -- filled in src/overlay/rows/keyless.ts
  UPDATE {{shadow}} s SET _stage_head = false
  WHERE s._stage_session = _stage_v_session AND s._stage_seq = (
    SELECT x._stage_seq FROM {{shadow}} x
    WHERE x._stage_session = _stage_v_session AND x._stage_head AND x._stage_op <> 'D' AND x._stage_image = _stage_v_image
      AND NOT (x._stage_mutation = _stage_v_mutation AND x._stage_seq > _stage_v_start)
    ORDER BY x._stage_seq LIMIT 1 FOR UPDATE)
  RETURNING s._stage_seq, s._stage_root, s._stage_origin INTO _stage_v_taken;
  IF NOT FOUND THEN
    -- a join may match a staged row twice: PostgreSQL changes it once
    PERFORM 1 FROM {{shadow}} s
    WHERE s._stage_session = _stage_v_session AND s._stage_old_1 = _stage_v_image AND s._stage_mutation = _stage_v_mutation AND s._stage_seq > _stage_v_start
      AND s._stage_origin <> 'overlay' AND NOT s._stage_first;
    IF FOUND AND NOT EXISTS (SELECT 1 FROM {{source}} p WHERE {{p_looks_like_old}}) THEN
      PERFORM stage.touched_twice({{oid}});
      RETURN NULL;
    END IF;
    INSERT INTO {{shadow}} ({{columns}},
      _stage_session, _stage_mutation, _stage_op, _stage_origin,
      _stage_head, {{old_columns}})
    VALUES ({{old_row_and_image}},
      _stage_v_session, _stage_v_mutation, 'D', 'overlay',
      true, {{old_values}})
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      PERFORM 1 FROM {{shadow}} s
      WHERE s._stage_session = _stage_v_session AND s._stage_head AND s._stage_image = _stage_v_image AND s._stage_op = 'D' AND s._stage_origin = 'overlay'
        AND s._stage_mutation = _stage_v_mutation AND s._stage_seq > _stage_v_start;
      IF NOT FOUND THEN
        PERFORM 1 FROM {{shadow}} s
        WHERE s._stage_session = _stage_v_session AND s._stage_old_1 = _stage_v_image AND s._stage_mutation = _stage_v_mutation AND s._stage_seq > _stage_v_start;
        IF NOT FOUND THEN PERFORM stage.raise_changed(); END IF;
        PERFORM stage.touched_twice({{oid}});
        RETURN NULL;
      END IF;
    END IF;
  END IF;
  _stage_v_first := coalesce(_stage_v_taken._stage_origin = 'overlay', true);
