-- First BEFORE STATEMENT trigger of every overlay view. TG_ARGV[0] is the production table. The triggers after it run with the
-- service account's rights: whoever has none on the table must not learn from their errors what it holds.
-- Any right will do, for a role that may only read is the recommended one. Not SECURITY DEFINER: it asks about the client.
CREATE OR REPLACE FUNCTION stage.demand_rights() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT has_table_privilege(TG_ARGV[0]::oid, 'SELECT, INSERT, UPDATE, DELETE')
    AND NOT has_any_column_privilege(TG_ARGV[0]::oid, 'SELECT, INSERT, UPDATE')
  THEN
    RAISE EXCEPTION 'permission denied for table %', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NULL;
END $$;
