-- Returns whether a type is an enum, or an array of one, to and from which no function of a user converts.
CREATE OR REPLACE FUNCTION stage.is_enum(p_type oid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (
    SELECT FROM pg_type t LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typsubscript = 'array_subscript_handler'::regproc
    WHERE t.oid = p_type AND 'e' IN (t.typtype, e.typtype)
      -- guard: no cast by a function of a user runs for an argument
      AND NOT EXISTS (SELECT FROM pg_cast k WHERE k.castfunc >= 16384 AND (k.castsource IN (t.oid, e.oid) OR k.casttarget IN (t.oid, e.oid))))
$$;
