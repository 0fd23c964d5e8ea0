-- Checks, before an INSERT of a copy, the right to read what it returns. Returns true. p_returned: as in stage.may_return.
CREATE OR REPLACE FUNCTION stage.demand_returned(p_relation oid, p_returned text) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- guard: an INSERT of a function returns no columns that the role may not read
  IF NOT stage.may_return(p_relation, p_returned::jsonb, current_user) THEN
    RAISE EXCEPTION 'permission denied for table %', (SELECT c.relname FROM pg_class c WHERE c.oid = p_relation) USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN true;
END $$;
