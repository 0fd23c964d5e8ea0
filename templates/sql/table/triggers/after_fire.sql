-- Fires the AFTER triggers of one operation for a row, in their order, with the client's rights.
-- Filled in src/overlay/triggers/fire-after.ts.
CREATE OR REPLACE FUNCTION {{function}}("new" {{row_type}}, "old" {{row_type}}) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS {{body}};
