-- Returns why a type of users cannot be that of an argument or a result of a staged function, as the end of "takes ..."; NULL if it can: it
-- is an enum, a domain, a composite type, a type of an extension, or an array of these.
-- p_within: the types within which it stands. In PL/pgSQL, which keeps its plans: it is called for each call of a function with such types.
CREATE OR REPLACE FUNCTION stage.type_obstacle(p_type oid, p_within oid[] DEFAULT '{}') RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_type pg_type;
  v_relation oid;
  v_part oid;
  v_obstacle text;
BEGIN
  SELECT t.* INTO v_type FROM pg_type t WHERE t.oid = p_type;
  v_relation := CASE WHEN v_type.typtype = 'c' THEN stage.row_relation(p_type) END;
  v_obstacle := CASE
    -- guard: a staged function takes no row of a table within another value: it has another type where it is staged
    WHEN v_relation IS NOT NULL THEN 'a row of a table'
    WHEN v_type.typtype NOT IN ('c', 'd', 'e') AND NOT (v_type.typtype = 'b'
        AND (v_type.typsubscript = 'array_subscript_handler'::regproc OR stage.is_of_extension('pg_type', p_type)))
      THEN 'a base type or range of users'
    -- guard: no cast by a function of a user runs for an argument
    WHEN EXISTS (
        SELECT FROM (SELECT c.oid, c.castfunc FROM pg_cast c WHERE p_type IN (c.castsource, c.casttarget) AND c.oid >= 16384 AND c.castfunc <> 0 OFFSET 0) k
        WHERE stage.is_made_by_users('pg_cast', k.oid) AND (SELECT f.oid >= 16384 OR f.provolatile <> 'i' FROM pg_proc f WHERE f.oid = k.castfunc))
      THEN 'which has casts by functions of users'
    -- guard: no check of a domain runs code of users for an argument
    WHEN v_type.typtype = 'd' AND EXISTS (
        SELECT FROM (SELECT k.oid, k.conbin FROM pg_constraint k WHERE k.contypid = p_type OFFSET 0) k
        CROSS JOIN LATERAL (SELECT r.function FROM stage.referenced_functions('pg_constraint', ARRAY[k.oid]) r UNION SELECT stage.called_in(k.conbin::text)) x(function)
        JOIN pg_proc f ON f.oid = x.function WHERE stage.is_made_by_users('pg_proc', f.oid) OR f.provolatile = 'v')
      THEN 'a domain whose checks run code of users or have effects' END;
  IF v_obstacle IS NOT NULL THEN RETURN concat_ws(', ', format_type(p_type, NULL), v_obstacle); END IF;
  FOR v_part IN
    SELECT x.type FROM unnest(ARRAY[v_type.typbasetype, v_type.typelem]) x(type) WHERE x.type >= 16384
    UNION SELECT a.atttypid FROM pg_attribute a WHERE a.attrelid = v_type.typrelid AND v_type.typrelid <> 0 AND a.attnum > 0 AND a.atttypid >= 16384
    -- guard: a domain is as good as the types to which its checks convert values
    UNION SELECT d.refobjid FROM (SELECT k.oid FROM pg_constraint k WHERE k.contypid = p_type AND v_type.typtype = 'd' OFFSET 0) k
    CROSS JOIN LATERAL (SELECT e.refclassid, e.refobjid FROM pg_depend e WHERE e.classid = 'pg_constraint'::regclass AND e.objid = k.oid OFFSET 0) d
    WHERE d.refclassid = 'pg_type'::regclass AND d.refobjid >= 16384
  LOOP
    CONTINUE WHEN v_part = p_type OR v_part = ANY (p_within);
    v_obstacle := stage.type_obstacle(v_part, p_within || p_type);
    IF v_obstacle IS NOT NULL THEN RETURN v_obstacle; END IF;
  END LOOP;
  RETURN NULL;
END $$;
