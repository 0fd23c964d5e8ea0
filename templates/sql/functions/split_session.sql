-- Creates the session that a part of another session's staged rows goes to. It has the properties, authors and mutation log of that
-- session. So both hide the same tables from the same callers, and both have the same authors.
CREATE OR REPLACE FUNCTION stage.split_session(p_session uuid, p_to uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_columns text;
BEGIN
  INSERT INTO stage.session (id, project_id, metadata, reads, conflict_scope, created_as, reverts, split_from, earlier_authors)
  SELECT p_to, s.project_id, s.metadata, s.reads, s.conflict_scope, s.created_as, s.reverts, s.id,
    -- guard: authors of a session are authors of the sessions split from it
    s.earlier_authors || CASE WHEN s.status <> 'active' THEN ARRAY[s.proposed_as] ELSE '{}' END
  FROM stage.session s WHERE s.id = p_session;
  SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) INTO STRICT v_columns FROM pg_attribute a
  WHERE a.attrelid = 'stage.mutation'::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'session';
  -- guard: the whole log is copied, so that all roles that staged are known
  EXECUTE format('INSERT INTO stage.mutation (session, %1$s) SELECT $2, %1$s FROM stage.mutation WHERE session = $1', v_columns)
  USING p_session, p_to;
END $$;
REVOKE ALL ON FUNCTION stage.split_session(uuid, uuid) FROM PUBLIC;
