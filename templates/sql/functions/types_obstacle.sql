-- Returns why the types of a function's arguments, their defaults and its result keep it from being staged; NULL if they do not.
CREATE OR REPLACE FUNCTION stage.types_obstacle(p_function pg_catalog.pg_proc) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_types oid[] := coalesce(p_function.proallargtypes, p_function.proargtypes::oid[]);
  v_relation oid := CASE WHEN p_function.prorettype >= 16384 THEN stage.row_relation(p_function.prorettype) END;
  v_columns oid[];
  v_obstacle text;
BEGIN
  v_obstacle := (
    SELECT min('takes ' || stage.type_obstacle(x.type)) FROM (SELECT DISTINCT unnest(v_types)) a(type)
    -- a plain argument may be a row of a table: its staged function takes a type of the service with the same columns
    CROSS JOIN LATERAL (SELECT CASE WHEN p_function.prokind = 'f' AND a.type <> p_function.provariadic AND NOT EXISTS (
        SELECT FROM unnest(p_function.proallargtypes, p_function.proargmodes) m(type, mode) WHERE m.type = a.type AND m.mode <> 'i')
      THEN stage.row_relation(a.type) END) r(relation)
    CROSS JOIN LATERAL (
      SELECT a.type WHERE r.relation IS NULL
      UNION ALL SELECT c.atttypid FROM pg_attribute c WHERE c.attrelid = r.relation AND c.attnum > 0) x(type)
    WHERE a.type >= 16384 AND x.type >= 16384);
  IF v_obstacle IS NULL AND p_function.pronargdefaults > 0 THEN
    -- creating the staged function would convert literals in them, and run the checks of domains, with the service's rights
    v_obstacle := (
      SELECT min('has defaults of ' || stage.type_obstacle(d.refobjid))
      FROM (SELECT e.refclassid, e.refobjid FROM pg_depend e WHERE e.classid = 'pg_proc'::regclass AND e.objid = p_function.oid OFFSET 0) d
      WHERE d.refclassid = 'pg_type'::regclass AND d.refobjid >= 16384
        -- the type of the result is none of theirs, unless they name it, too
        AND (d.refobjid <> p_function.prorettype OR p_function.proargdefaults::text ~ format('\m%s\M', p_function.prorettype::oid)));
  END IF;
  IF v_obstacle IS NULL AND p_function.prorettype >= 16384 AND v_relation IS NULL THEN
    v_obstacle := 'gives ' || stage.type_obstacle(p_function.prorettype);
  END IF;
  IF v_obstacle IS NOT NULL THEN RETURN v_obstacle; END IF;
  -- A column of a domain has the domain's base type where it is staged.
  -- guard: no call finds another function of its name than in PostgreSQL
  IF EXISTS (SELECT FROM unnest(p_function.proargtypes::oid[]) a(type) JOIN pg_type t ON t.oid = a.type WHERE t.oid >= 16384 AND t.typtype = 'd')
    AND EXISTS (SELECT FROM pg_proc q WHERE q.proname = p_function.proname AND q.pronamespace = p_function.pronamespace AND q.oid <> p_function.oid
      AND (q.provariadic <> 0 OR p_function.provariadic <> 0
        OR q.pronargs - q.pronargdefaults <= p_function.pronargs AND p_function.pronargs - p_function.pronargdefaults <= q.pronargs))
  THEN RETURN 'takes a domain beside another function of its name'; END IF;
  v_columns := ARRAY(
    SELECT t.oid FROM pg_type y JOIN pg_attribute a ON a.attrelid = y.typrelid AND a.attnum > 0 JOIN pg_type t ON t.oid = a.atttypid
    WHERE y.oid = p_function.prorettype AND y.oid >= 16384 AND y.typtype = 'c' AND t.typtype = 'd');
  v_obstacle := (SELECT min('gives ' || stage.type_obstacle(a.type)) FROM unnest(v_columns) a(type) WHERE a.type >= 16384);
  IF v_obstacle IS NULL AND p_function.prolang = (SELECT l.oid FROM pg_language l WHERE l.lanname = 'plpgsql')
    -- PL/pgSQL demands the types of the result, and columns of domains have others
    AND (v_columns <> '{}' AND p_function.prosrc ~* '\mrecord\M|\mreturn(\s+next)?\s*(\(|row\M)' OR p_function.prosrc ~* '\mreturn\s+query\M'
      AND (v_columns <> '{}' OR EXISTS (SELECT FROM unnest(v_types || p_function.prorettype) a(type) JOIN pg_type t ON t.oid = a.type WHERE t.oid >= 16384 AND t.typtype = 'd')))
  THEN RETURN 'gives rows with domains by RETURN QUERY, an expression or a record'; END IF;
  RETURN v_obstacle;
END $$;
