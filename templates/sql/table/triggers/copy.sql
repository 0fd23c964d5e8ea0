-- A trigger of production as it fires while rows are staged: its own body, with the names of overlays in the place of tables, within a
-- block whose variables are those of a trigger. It runs with the rights of the client or its owner, as the trigger does, and finds names as it will at
-- approval, not as the client would, so that no client decides what its names mean.
-- Filled in src/overlay/triggers/trigger-copy.ts: `body` is copy_body.sql, filled, as a literal.
CREATE OR REPLACE FUNCTION {{function}}(_stage_p_new {{row_type}}, _stage_p_old {{row_type}}, _stage_p_op text{{further}}) RETURNS record
LANGUAGE plpgsql {{rights}}SET search_path = {{path}} AS {{body}};
