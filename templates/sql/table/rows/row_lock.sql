-- Statements that run with the client's rights call these functions, so clients can call them directly: they do nothing for those who may
-- not read the table. `role` is what the caller has set by SET ROLE.
-- Filled in src/overlay/rows/row-lock.ts: `parameters`, `types` and `arguments` are the columns of the key.

-- Returns the version of a row that the running statement sees; 0 if none is staged, null if there is no row.
CREATE FUNCTION {{seen}}({{parameters}}) RETURNS bigint
LANGUAGE sql STABLE STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
  SELECT coalesce(max(s._stage_seq), 0) FROM {{shadow}} s
  WHERE s._stage_session = current_setting('stage.session')::uuid AND s._stage_head AND {{s_key_matches}}
    -- guard: a role without rights on a table does not learn which rows are staged
    AND has_table_privilege(coalesce(nullif(current_setting('role'), 'none'), session_user), {{oid}}, 'SELECT')
$body$;

-- Locks a row of the caller's session until the transaction ends, and returns its version: whoever stages a change of it from another
-- connection waits, and this waits for whoever has begun one. Only for callers that have checked that the client may know of the row.
-- For a row that is not staged there is no version to lock, and it returns null: inserting one and deleting it again leaves an entry that
-- others have to wait for.
CREATE FUNCTION {{await}}({{parameters}}) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
DECLARE
  _stage_v_session uuid := current_setting('stage.session')::uuid;
  _stage_v_seq bigint;
BEGIN
  LOOP
    SELECT s._stage_seq INTO _stage_v_seq FROM {{shadow}} s
    WHERE s._stage_session = _stage_v_session AND s._stage_head AND {{s_key_matches}} FOR NO KEY UPDATE;
    IF FOUND THEN RETURN _stage_v_seq; END IF;
    INSERT INTO {{shadow}} ({{key}},
      _stage_session, _stage_mutation, _stage_op, _stage_origin,
      _stage_head)
    VALUES ({{arguments}},
      _stage_v_session, 0, 'D', 'overlay',
      true)
    ON CONFLICT DO NOTHING
    RETURNING _stage_seq INTO _stage_v_seq;
    CONTINUE WHEN NOT FOUND;  -- another connection has staged it meanwhile
    DELETE FROM {{shadow}} WHERE _stage_session = _stage_v_session AND _stage_seq = _stage_v_seq;
    RETURN NULL;
  END LOOP;
END $body$;
REVOKE ALL ON FUNCTION {{await}}({{types}}) FROM PUBLIC;

-- Waits for whoever changes a row of the caller's session, as the function above does, and locks nothing.
CREATE FUNCTION {{outwait}}({{parameters}}) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
  PERFORM {{await}}({{arguments}});
  RAISE EXCEPTION USING ERRCODE = 'ST006';
EXCEPTION WHEN SQLSTATE 'ST006' THEN
  NULL;  -- the lock is released
END $body$;
REVOKE ALL ON FUNCTION {{outwait}}({{types}}) FROM PUBLIC;

-- Locks a row as SELECT ... FOR UPDATE does in PostgreSQL. Returns its key as JSON.
-- _stage_p_seen: the version that was found. When another one is the newest by now, stage.lock_moved notes that.
CREATE FUNCTION {{lock}}({{parameters}}, _stage_p_seen bigint) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
#variable_conflict use_column
BEGIN
  -- guard: a role without rights on a table locks none of its rows
  IF NOT has_table_privilege(coalesce(nullif(current_setting('role'), 'none'), session_user), {{oid}}, 'SELECT') THEN
    RAISE EXCEPTION 'permission denied for table %', {{table_literal}} USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF _stage_p_seen IS NULL THEN
    RAISE EXCEPTION 'FOR UPDATE cannot be applied to the nullable side of an outer join' USING ERRCODE = 'feature_not_supported';
  END IF;
  IF {{await}}({{arguments}}) <> _stage_p_seen THEN PERFORM set_config('stage.lock_moved', 'on', true); END IF;
  RETURN jsonb_build_object({{members}});
END $body$;

-- Does the same with NOWAIT or SKIP LOCKED; with the latter it returns null for a row that another transaction has locked.
CREATE FUNCTION {{try_lock}}({{parameters}}, _stage_p_seen bigint, _stage_p_skips boolean) RETURNS jsonb
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = 1 AS $body$
BEGIN
  RETURN {{lock}}({{arguments}}, _stage_p_seen);
EXCEPTION WHEN lock_not_available THEN
  IF _stage_p_skips THEN RETURN NULL; END IF;
  RAISE EXCEPTION USING MESSAGE = {{not_available}}, ERRCODE = 'lock_not_available';
END $body$;

-- Locks a row for the write that runs, with NOWAIT or SKIP LOCKED; returns whether it is locked as it was found. One that has changed since
-- is skipped like one that is being changed.
CREATE FUNCTION {{claim}}({{parameters}}, _stage_p_seen bigint, _stage_p_skips boolean) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
  PERFORM set_config('stage.lock_moved', '', true);
  IF {{try_lock}}({{arguments}}, _stage_p_seen, _stage_p_skips) IS NULL THEN RETURN false; END IF;
  IF current_setting('stage.lock_moved') <> 'on' THEN RETURN true; END IF;
  IF NOT _stage_p_skips THEN PERFORM stage.raise_changed(); END IF;
  RETURN false;
END $body$;

-- Returns the rows that the caller has just locked, as they are now.
-- p_setting: the setting with their keys.
CREATE FUNCTION {{locked}}(p_setting text) RETURNS SETOF {{row_type}}
LANGUAGE sql STABLE AS $body$
  SELECT {{o_columns}} FROM {{overlay}} o
  WHERE EXISTS (
    SELECT 1 FROM pg_catalog.jsonb_populate_recordset(NULL::{{overlay}}, pg_catalog.current_setting($1)::pg_catalog.jsonb) k
    WHERE {{o_key_matches_k}})
$body$;
