-- A view or a partition as the session sees it: its definition over overlays. The body is a string, which the planner inlines:
-- no dependency on anything, and the client's own rights apply.
CREATE TYPE {{row_type}} AS ({{column_definitions}});
CREATE FUNCTION {{function}} RETURNS SETOF {{row_type}} LANGUAGE sql STABLE AS {{body}};
CREATE VIEW {{overlay}} {{options}} AS SELECT {{columns}} FROM {{function}};
GRANT SELECT ON {{overlay}} TO PUBLIC;
