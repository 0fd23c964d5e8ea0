-- Returns what stage.table_stamp does, without reading the catalogs each time: it is called when the expression is planned. The plan
-- depends on the relations whose OIDs are in it, which are all that the stamp reads except the schema: PostgreSQL plans it anew when one of
-- them is altered, by any command, and when any schema is. A running transaction learns of that when it takes a lock, as for a size.
-- A transaction that keeps its snapshot sees the stamp of that.
-- Filled in src/overlay/install/stamp.ts: `relations` are those of stage.stamped_relations, as constants.
CREATE OR REPLACE FUNCTION {{function}}() RETURNS text
LANGUAGE plpgsql STABLE AS $body$
DECLARE
  -- guard: a transaction under way hears of changes before it remembers a stamp
  v_size bigint := pg_catalog.pg_relation_size('stage.migration', 'main');
BEGIN
  -- guard: a transaction with one snapshot sees the stamp of that snapshot
  IF pg_catalog.current_setting('transaction_isolation') OPERATOR(pg_catalog.!~~) 'read %' THEN RETURN stage.table_stamp('{{oid}}'); END IF;
  -- an array: a call has at most 100 arguments
  RETURN stage.stamp_when_planned(VARIADIC ARRAY[{{relations}}]);
END $body$
