-- What the BEFORE triggers of one operation make of a row, in their order; NULL where one of them keeps it from being written.
CREATE OR REPLACE FUNCTION {{function}}("new" {{row_type}}, "old" {{row_type}}) RETURNS {{row_type}}
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS {{body}};
