-- Fires BEFORE triggers that come behind others with other rights, as fire.sql does. _stage_p_run is the text of the row that those made.
-- Filled in src/overlay/triggers/fire-runs.ts: `body` is fire_body.sql, filled, as a literal.
CREATE OR REPLACE FUNCTION {{function}}("new" {{row_type}}, "old" {{row_type}}, _stage_p_run text, _stage_p_named oid DEFAULT NULL, _stage_p_result {{row_type}} DEFAULT NULL) RETURNS {{row_type}}
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS {{body}};
