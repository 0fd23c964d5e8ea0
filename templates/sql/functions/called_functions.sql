-- Returns the functions that the names of a statement may call, by names alone. p_calls is as stage.find_code takes it; place, is_named and
-- is_made are as it returns them. namespace is the schema of the object that has the name; function is the function that is called then.
-- Each kind is queried only where it occurs, because planning takes longer than execution. Of the server's operators only those are
-- returned that could matter.
DROP FUNCTION IF EXISTS stage.called_functions(jsonb);
CREATE FUNCTION stage.called_functions(p_calls jsonb) RETURNS TABLE (place bigint, is_named boolean, is_made boolean, namespace oid, function oid)
LANGUAGE plpgsql STABLE SET jit = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF pg_catalog.jsonb_path_exists(p_calls, '$[*] ? (@.kind == "function" || @.kind == "field")') THEN
    RETURN QUERY
    SELECT c.place, true, false, p.pronamespace, p.oid
    FROM ROWS FROM (pg_catalog.jsonb_to_recordset(p_calls) AS (kind pg_catalog.text, name pg_catalog.name)) WITH ORDINALITY c(kind, name, place)
    JOIN pg_catalog.pg_proc p ON p.proname OPERATOR(pg_catalog.=) c.name
    WHERE c.kind OPERATOR(pg_catalog.=) 'function'
      OR c.kind OPERATOR(pg_catalog.=) 'field' AND p.pronargs OPERATOR(pg_catalog.>=) 1
        AND p.pronargs OPERATOR(pg_catalog.-) p.pronargdefaults OPERATOR(pg_catalog.<=) 1
        -- no expression is of type internal: `t.system` is a column
        AND p.proargtypes[0] OPERATOR(pg_catalog.<>) 'pg_catalog.internal'::pg_catalog.regtype::pg_catalog.oid
    UNION ALL
    SELECT c.place, false, stage.is_made_by_users('pg_proc', p.oid), p.pronamespace, s.function
    FROM ROWS FROM (pg_catalog.jsonb_to_recordset(p_calls) AS (kind pg_catalog.text, name pg_catalog.name)) WITH ORDINALITY c(kind, name, place)
    JOIN pg_catalog.pg_proc p ON p.proname OPERATOR(pg_catalog.=) c.name AND p.prokind OPERATOR(pg_catalog.=) 'a'
    CROSS JOIN LATERAL stage.called_by_aggregate(p.oid) s(function)
    WHERE c.kind OPERATOR(pg_catalog.=) ANY ('{function,field}'::pg_catalog.text[]) AND p.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid;
  END IF;
  IF pg_catalog.jsonb_path_exists(p_calls, '$[*] ? (@.kind == "operator")') THEN
    RETURN QUERY
    SELECT c.place, false, stage.is_made_by_users('pg_operator', o.oid), o.oprnamespace, p.oid
    FROM ROWS FROM (pg_catalog.jsonb_to_recordset(p_calls) AS (kind pg_catalog.text, name pg_catalog.name)) WITH ORDINALITY c(kind, name, place)
    JOIN pg_catalog.pg_operator o ON o.oprname OPERATOR(pg_catalog.=) c.name
    JOIN pg_catalog.pg_proc p ON p.oid OPERATOR(pg_catalog.=) o.oprcode::pg_catalog.oid
    JOIN pg_catalog.pg_language l ON l.oid OPERATOR(pg_catalog.=) p.prolang
    WHERE c.kind OPERATOR(pg_catalog.=) 'operator'
      AND (o.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid OR p.provolatile OPERATOR(pg_catalog.=) 'v'
        OR l.lanname OPERATOR(pg_catalog.<>) ALL ('{internal,c}'::pg_catalog.name[]));
  END IF;
  IF pg_catalog.jsonb_path_exists(p_calls, '$[*] ? (@.kind == "type")') THEN
    RETURN QUERY
    -- a conversion to a domain runs its checks, also within an array or a row; any type may have casts by functions, and is read and
    -- written by functions
    SELECT c.place, false, f.is_made, t.typnamespace, f.function
    FROM ROWS FROM (pg_catalog.jsonb_to_recordset(p_calls) AS (kind pg_catalog.text, name pg_catalog.name)) WITH ORDINALITY c(kind, name, place)
    JOIN pg_catalog.pg_type t ON t.typname OPERATOR(pg_catalog.=) c.name
    CROSS JOIN LATERAL (
      SELECT s.castfunc, stage.is_made_by_users('pg_cast', s.oid) FROM pg_catalog.pg_cast s
      WHERE s.casttarget OPERATOR(pg_catalog.=) t.oid OR s.castsource OPERATOR(pg_catalog.=) t.oid
      UNION ALL SELECT x.function, stage.is_made_by_users('pg_type', k.contypid)
      FROM stage.types_in(ARRAY[t.oid]) d(type)
      CROSS JOIN LATERAL (
        SELECT k.oid, k.contypid, k.conbin FROM pg_catalog.pg_constraint k WHERE k.contypid OPERATOR(pg_catalog.=) d.type
        OFFSET 0  -- searches the expressions of these constraints only, not those of all tables
      ) k
      CROSS JOIN LATERAL (
        SELECT r.function FROM stage.referenced_functions('pg_constraint', ARRAY[k.oid]) r UNION SELECT stage.called_in(k.conbin::pg_catalog.text)
      ) x(function)
      UNION ALL SELECT x.function, true FROM pg_catalog.unnest(ARRAY[t.typinput, t.typoutput, t.typreceive, t.typsend, t.typmodin,
        t.typmodout]::pg_catalog.oid[]) x(function)
      WHERE t.typtype OPERATOR(pg_catalog.=) 'b' AND stage.is_made_by_users('pg_type', t.oid)
    ) f(function, is_made)
    WHERE c.kind OPERATOR(pg_catalog.=) 'type';
  END IF;
  IF pg_catalog.jsonb_path_exists(p_calls, '$[*] ? (@.kind == "relation")') THEN
    RETURN QUERY
    SELECT c.place, false, true, r.relnamespace, f.function
    FROM ROWS FROM (pg_catalog.jsonb_to_recordset(p_calls) AS (kind pg_catalog.text, name pg_catalog.name)) WITH ORDINALITY c(kind, name, place)
    JOIN pg_catalog.pg_class r ON r.relname OPERATOR(pg_catalog.=) c.name
    CROSS JOIN LATERAL stage.called_by_relation(r.oid) f(function)
    WHERE c.kind OPERATOR(pg_catalog.=) 'relation' AND NOT stage.is_internal_schema(r.relnamespace);
  END IF;
END $$;
