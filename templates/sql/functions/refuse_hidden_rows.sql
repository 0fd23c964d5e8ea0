-- Refuses an UPDATE or DELETE that reads no column of a table, because it would have to change rows that policies for SELECT hide. The
-- trigger of views whose policies may allow the role to change such rows. Its arguments: the OID in the names of settings, that of the
-- table.
CREATE OR REPLACE FUNCTION stage.refuse_hidden_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- a MERGE reads columns; statements of the service's own triggers and foreign keys' actions name the rows that they change
  IF pg_catalog.pg_trigger_depth() OPERATOR(pg_catalog.>) 1 AND coalesce(pg_catalog.current_setting('stage.origin', true), '') OPERATOR(pg_catalog.<>) 'trigger'
    OR pg_catalog.current_setting(pg_catalog.concat('stage.merge_', TG_ARGV[0]), true) OPERATOR(pg_catalog.=) 'on'
    OR stage.of_write('reads', TG_ARGV[0]::pg_catalog.oid) OPERATOR(pg_catalog.?) TG_OP
    OR NOT pg_catalog.row_security_active(TG_ARGV[1]::pg_catalog.oid)
  THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'cannot stage % of rows of "%" that policies for SELECT hide', TG_OP, TG_TABLE_NAME USING ERRCODE = 'feature_not_supported',
    HINT = 'Name a column of the table in WHERE, such as WHERE id IS NOT NULL: then PostgreSQL, too, changes only rows that the role may see.';
END $$;
