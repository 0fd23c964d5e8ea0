-- Locks the newest version of the row that a staged version belongs to.
-- Filled in src/overlay/rows/triggers.ts.
CREATE FUNCTION {{function}}(p_session uuid, p_seq bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_variable
BEGIN
  LOOP
    PERFORM 1 FROM {{shadow}} k JOIN {{shadow}} s ON s._stage_session = p_session AND s._stage_head AND {{s_key_matches_k}}
    WHERE k._stage_session = p_session AND k._stage_seq = p_seq FOR NO KEY UPDATE OF s;
    EXIT WHEN FOUND;
    -- it was replaced during the wait, or the session's rows are gone
    PERFORM 1 FROM {{shadow}} k JOIN {{shadow}} s ON s._stage_session = p_session AND s._stage_head AND {{s_key_matches_k}}
    WHERE k._stage_session = p_session AND k._stage_seq = p_seq;
    EXIT WHEN NOT FOUND;
  END LOOP;
END $body$;
REVOKE ALL ON FUNCTION {{function}}(uuid, bigint) FROM PUBLIC;
