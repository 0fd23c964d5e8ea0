-- Notes that a session's staged rows were changed other than by a statement, and records who did it as an author of the session.
CREATE OR REPLACE FUNCTION stage.note_edit(p_session uuid, p_by text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  UPDATE stage.session SET edits = edits + 1, edited_at = clock_timestamp(), edited = pg_current_xact_id(),
    earlier_authors = CASE WHEN p_by IS NOT DISTINCT FROM created_as OR array_position(earlier_authors, p_by) IS NOT NULL
      -- guard: who takes rows out has a part in the session
      THEN earlier_authors ELSE earlier_authors || p_by END
  WHERE id = p_session
$$;
REVOKE ALL ON FUNCTION stage.note_edit(uuid, text) FROM PUBLIC;
