-- A view or a partition as the session sees it: its definition over overlays. The body is a string, which the planner inlines: it depends
-- on nothing, and the client's own rights apply.
-- Filled in src/overlay/views/staged-view.ts.
CREATE TYPE {{row_type}} AS ({{column_definitions}});
CREATE FUNCTION {{function}} RETURNS SETOF {{row_type}} LANGUAGE sql STABLE AS {{body}};
CREATE VIEW {{overlay}} {{options}} AS SELECT {{columns}} FROM {{function}};
GRANT SELECT ON {{overlay}} TO PUBLIC;
