-- Returns whether a function in SQL came with the server and is unchanged: 1 + date, text || 5, round(1.5) and the like. It is recognized
-- by its definition, because a superuser may have replaced it. With this search_path PostgreSQL prints the schema of everything in it that
-- is not its own.
-- Functions that take a value of any type convert it to text when they are called, which runs a cast if a user has made one. Output
-- functions can be written in C only.
CREATE OR REPLACE FUNCTION stage.is_known_code(p_function oid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
  SELECT p.oid < 16384 AND p.pronamespace = 'pg_catalog'::regnamespace AND p.proowner = 10 AND l.lanname = 'sql'
    AND p.proconfig IS NULL AND NOT p.prosecdef
    AND CASE WHEN p.prosqlbody IS NULL
      THEN p.prosrc = ANY (ARRAY['select $1 operator(pg_catalog.||) $2::pg_catalog.text', 'select $1::pg_catalog.text operator(pg_catalog.||) $2',
          'select pg_catalog.quote_literal($1::pg_catalog.text)', 'select pg_catalog.quote_nullable($1::pg_catalog.text)'])
        -- guard: a cast of users to text is code that text || anything runs
        AND NOT EXISTS (
          SELECT FROM pg_cast c JOIN pg_proc f ON f.oid = c.castfunc JOIN pg_language k ON k.oid = f.prolang
          WHERE c.casttarget = 'text'::regtype AND k.lanname NOT IN ('internal', 'c'))
      -- guard: a function of the server in SQL is known by its body
      ELSE pg_get_function_sqlbody(p.oid) = ANY (ARRAY['RETURN ($2 + $1)', 'RETURN on_ppath($2, $1)', 'RETURN polygon(12, $1)',
        'RETURN (($1 + $2))::timestamp with time zone', 'RETURN age((CURRENT_DATE)::timestamp with time zone, $1)',
        'RETURN age((CURRENT_DATE)::timestamp without time zone, $1)', 'RETURN date_part($1, ($2)::timestamp without time zone)',
        'RETURN lpad($1, $2, '' ''::text)', 'RETURN rpad($1, $2, '' ''::text)', 'RETURN "substring"($1, similar_to_escape($2, $3))',
        'RETURN length($1)', 'RETURN (octet_length($1) * 8)', 'RETURN log((10)::numeric, $1)', 'RETURN round($1, 0)', 'RETURN trunc($1, 0)'])
      END
  FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
  WHERE p.oid = p_function
$$;
