-- Sets for production's triggers whose work an approval is, until its transaction ends. Any connection can set the same settings: they are
-- reliable only where session_user is the service account.
CREATE OR REPLACE FUNCTION stage.name_people(p_session uuid, p_approver text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT set_config('stage.session_id', 'sess_' || replace(s.id::text, '-', ''), true),
         set_config('stage.project', s.project_id, true),
         set_config('stage.author', coalesce(s.created_as, ''), true),
         set_config('stage.approver', coalesce(p_approver, ''), true)
  FROM stage.session s WHERE s.id = p_session
$$;
REVOKE ALL ON FUNCTION stage.name_people(uuid, text) FROM PUBLIC;
