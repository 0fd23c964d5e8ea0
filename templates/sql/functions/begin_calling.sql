-- Notes that the next write of a copy calls functions that write. Returns true. See stage.enter_call.
-- p_key: as in stage.enter_call.
DROP FUNCTION IF EXISTS stage.begin_calling(oid);
CREATE OR REPLACE FUNCTION stage.begin_calling(p_key text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM set_config('stage.calling', concat('body ', p_key), true);
  RETURN true;
END $$;
