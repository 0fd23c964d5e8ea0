-- Locks the newest version of the row that a staged version belongs to.
CREATE FUNCTION {{function}}(p_session uuid, p_seq bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_variable
BEGIN
  LOOP
    PERFORM 1 FROM {{shadow}} k JOIN {{shadow}} s ON s._stage_session = p_session AND s._stage_head AND {{s_key_matches_k}}
    WHERE k._stage_session = p_session AND k._stage_seq = p_seq FOR NO KEY UPDATE OF s;
    EXIT WHEN FOUND;
    -- it was replaced while it was waited for, or its session's rows are gone
    PERFORM 1 FROM {{shadow}} k JOIN {{shadow}} s ON s._stage_session = p_session AND s._stage_head AND {{s_key_matches_k}}
    WHERE k._stage_session = p_session AND k._stage_seq = p_seq;
    EXIT WHEN NOT FOUND;
  END LOOP;
END $body$;
REVOKE ALL ON FUNCTION {{function}}(uuid, bigint) FROM PUBLIC;

-- Waits for another connection that is changing the row of the key, which is in the way of the running statement, and holds it.
-- Who changes a row for the first time has put a head for its key there, which nobody sees yet: another one has to wait for that.
CREATE FUNCTION {{await}}({{types}}) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_variable
DECLARE
  v_session uuid := current_setting('stage.session')::uuid;
  v_seq bigint;
BEGIN
  LOOP
    PERFORM 1 FROM {{shadow}} s, (SELECT {{k_key}}) k
    WHERE s._stage_session = v_session AND s._stage_head AND {{s_key_matches_k}} FOR NO KEY UPDATE OF s;
    EXIT WHEN FOUND;
    INSERT INTO {{shadow}} ({{key}}, _stage_session, _stage_mutation, _stage_op, _stage_origin, _stage_head)
    VALUES ({{values}}, v_session, 0, 'D', 'overlay', true)
    ON CONFLICT DO NOTHING
    RETURNING _stage_seq INTO v_seq;
    CONTINUE WHEN NOT FOUND;  -- it is there by now
    DELETE FROM {{shadow}} WHERE _stage_session = v_session AND _stage_seq = v_seq;
    EXIT;
  END LOOP;
END $body$;
REVOKE ALL ON FUNCTION {{await}}({{types}}) FROM PUBLIC;
