-- Returns whether to_jsonb converts a type's values by a user-defined cast, which may round, and may fail.
CREATE OR REPLACE FUNCTION stage.has_json_cast(p_type oid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (
    SELECT p_type >= 16384 AND EXISTS (SELECT FROM pg_cast c WHERE c.castsource = p_type AND c.casttarget = 'json'::regtype)
  );
END $$;
