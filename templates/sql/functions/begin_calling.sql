-- Notes that the next INSERT of a copy into a table calls functions that write. Returns true. See stage.enter_call.
CREATE OR REPLACE FUNCTION stage.begin_calling(p_relation oid) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM set_config('stage.calling', format('body %s_i', p_relation), true);
  RETURN true;
END $$;
