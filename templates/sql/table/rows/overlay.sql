-- The overlay view, which shows a table as a session sees it: production rows it has not touched, and the session's own live heads.
-- The source reads production through a function with a string body, which the planner inlines: it does not depend on the table, so it
-- blocks no migration, and the caller's own rights and policies apply.
-- The arms of the UNION ALL have no conditions, so that the planner flattens them and reaches the indexes of both; the session's conditions
-- are above them and fold away on the production arm. OFFSET 0 keeps the hiding test an index probe: an anti join would multiply the join
-- items, a hash would read every staged row for one. The session's condition is there twice: once to find the rows by an index, once to be
-- evaluated before any condition of the client (see stage.own_session).
-- Filled in src/overlay/rows/view.ts: `u_is_visible` has further conditions, each after AND, or is empty. `p_root` and `s_root` are the number
-- of a row's first version, where these conditions need it.
CREATE OR REPLACE FUNCTION {{source}} RETURNS SETOF {{row_type}}
LANGUAGE sql STABLE PARALLEL SAFE AS $body$SELECT {{columns}} FROM {{production}}$body$;

CREATE OR REPLACE VIEW {{overlay}} {{view_options}} AS
SELECT {{u_columns}}
FROM (
  SELECT {{p_columns}}, false AS _stage_staged, current_setting('stage.session')::uuid AS _stage_session,
         true AS _stage_head, 'I'::"char" AS _stage_op{{p_root}}
  FROM {{source}} p
  UNION ALL
  SELECT {{s_columns}}, true, s._stage_session, s._stage_head, s._stage_op{{s_root}}
  FROM {{shadow}} s
) u
-- guard: rows of other sessions are turned away before conditions of the client
WHERE {{own_session}} IS NOT NULL
  AND u._stage_session = current_setting('stage.session')::uuid AND u._stage_head AND u._stage_op <> 'D'
  AND stage.is_live(u._stage_op)
  AND (u._stage_staged OR NOT EXISTS (
    SELECT 1 FROM {{shadow}} h
    WHERE h._stage_session = current_setting('stage.session')::uuid AND h._stage_head AND {{h_hides_u}} OFFSET 0)){{u_is_visible}};

GRANT SELECT, INSERT, UPDATE, DELETE ON {{overlay}} TO PUBLIC;
