-- Returns whether copies of functions that read relations with the rights of an owner may run in the caller's session. Otherwise the functions
-- themselves are called, which read production. p_relations: as in stage.staged_function; p_path: as in stage.function_stamp.
CREATE OR REPLACE FUNCTION stage.may_read_as_owner(p_relations jsonb, p_path oid[]) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_named jsonb := jsonb_path_query_array(p_relations, '$[*] ? (exists (@.role))');
  v_relations oid[] := ARRAY(SELECT stage.relation_in(u.name, p_path) FROM jsonb_array_elements(v_named) u(name));
BEGIN
  -- an overlay reads every column, the function perhaps some only
  IF EXISTS (SELECT FROM jsonb_array_elements(v_named) u(name) WHERE NOT has_table_privilege((u.name -> 'role')::int8::oid, stage.relation_in(u.name, p_path), 'SELECT')) THEN
    RETURN false;
  END IF;
  RETURN stage.rows_beyond_right(nullif(current_setting('stage.session', true), '')::uuid, v_relations, '{}') IS NULL;
END $$;
