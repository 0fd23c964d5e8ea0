-- BEFORE STATEMENT, behind stage.before_statement: notes whether the triggers of a table fire for the statement that run with the rights of
-- their owners before a row is staged. If they do not, none of the table's triggers fires that they concern. TG_ARGV[0] is the table.
CREATE OR REPLACE FUNCTION stage.decide_firing() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM set_config('stage.unfired_' || TG_ARGV[0], CASE WHEN stage.fires_as_owner(TG_ARGV[0]::oid) THEN '' ELSE 'on' END, true);
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION stage.decide_firing() FROM PUBLIC;
