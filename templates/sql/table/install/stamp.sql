-- What stage.table_stamp gives, without looking each time: asked when the expression is planned. Its plan depends on the relations
-- whose OIDs stand in it, which are all that the stamp looks at but for the schema: PostgreSQL plans it anew when one of them is
-- altered, by any command, and when any schema is. A running transaction hears of that when it takes a lock, as for a size.
-- A transaction that keeps its snapshot sees the stamp of that.
CREATE OR REPLACE FUNCTION {{function}}() RETURNS text
LANGUAGE plpgsql STABLE AS $body$
DECLARE
  -- guard: a transaction under way hears of changes before it remembers a stamp
  v_size bigint := pg_catalog.pg_relation_size('stage.migration', 'main');
BEGIN
  -- guard: a transaction that keeps its snapshot sees the stamp of that
  IF pg_catalog.current_setting('transaction_isolation') OPERATOR(pg_catalog.!~~) 'read %' THEN RETURN stage.table_stamp('{{oid}}'); END IF;
  RETURN stage.stamp_when_planned({{relations}});
END $body$
