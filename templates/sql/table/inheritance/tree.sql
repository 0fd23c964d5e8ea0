-- The view of a table together with those that inherit from it: production's rows as the table itself returns them, under its rights and
-- policies and by its indexes, except those that the session has touched in any of the tables; and the rows that are staged there. See
-- overlay.sql for the conditions. A view has no hidden columns, so only the view itself can show which table a row belongs to.
-- Filled in src/overlay/inheritance/tree.ts: `staged_rows` has an arm of the UNION ALL for each table, `hidden` a branch of the CASE.
CREATE FUNCTION {{source}}() RETURNS TABLE ({{column_definitions}}, _stage_table oid, _stage_place tid)
LANGUAGE sql STABLE PARALLEL SAFE AS $body$SELECT {{source_columns}}, tableoid, ctid FROM {{production}}$body$;

CREATE VIEW {{tree}} {{view_options}} AS
SELECT {{u_columns}}
FROM (
  SELECT {{p_columns}}, p._stage_table, p._stage_place, false AS _stage_staged, current_setting('stage.session')::uuid AS _stage_session,
         true AS _stage_head, 'I'::"char" AS _stage_op
  FROM {{source}}() p
{{staged_rows}}
) u
WHERE {{own_session}} IS NOT NULL
  AND u._stage_session = current_setting('stage.session')::uuid AND u._stage_head AND u._stage_op <> 'D'
  AND stage.is_live(u._stage_op)
  AND (u._stage_staged OR NOT CASE u._stage_table
    {{hidden}}
    ELSE false END){{u_is_visible}};

GRANT SELECT, INSERT, UPDATE, DELETE ON {{tree}} TO PUBLIC;
