-- Returns whether a function may run code that a user wrote in this database, whose effects are not known beforehand. Functions in C belong
-- to the server and its extensions; aggregates call others. The effects of the server's own functions in SQL are known.
CREATE OR REPLACE FUNCTION stage.is_user_code(p_function oid) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT p.prokind OPERATOR(pg_catalog.=) 'a' AND p.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid
    OR l.lanname OPERATOR(pg_catalog.<>) ALL ('{internal,c}'::pg_catalog.name[]) AND NOT stage.is_known_code(p.oid)
  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid OPERATOR(pg_catalog.=) p.prolang
  WHERE p.oid OPERATOR(pg_catalog.=) p_function
$$;
