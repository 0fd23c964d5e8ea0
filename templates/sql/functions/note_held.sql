-- Notes the cursor WITH HOLD that the client has just declared, sealed by the nonce. A cursor that code declares under its name later has
-- another time of creation: that of a later message.
CREATE OR REPLACE FUNCTION stage.note_held(p_nonce text, p_cursor text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_held text := stage.held(p_nonce) || (SELECT coalesce(jsonb_agg(jsonb_build_array(c.name, extract(epoch FROM c.creation_time))), '[]')
    FROM pg_cursor() c WHERE c.is_holdable AND c.name = p_cursor);
BEGIN
  PERFORM set_config('stage.held', concat_ws(' ', stage.seal(p_nonce, v_held), v_held), true);
END $$;
