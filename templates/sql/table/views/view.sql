-- A view that can be written to, over the overlay of the relation behind it: PostgreSQL's own rules for such views do the rest. Its
-- expressions are in functions with string bodies, which the planner inlines: it depends on nothing that they call. Never a
-- security_barrier: over a view with triggers PostgreSQL loses the conditions of such a view. It is not needed here, because whoever
-- writes must have the right to read the table.
-- Filled in src/overlay/views/view-target.ts: `functions` and `defaults` are whole statements, `row` is the row of the table at the bottom.
{{functions}};
CREATE VIEW {{overlay}} ({{columns}}) {{options}} AS SELECT {{values}} FROM {{source}} {{condition}};
GRANT SELECT, INSERT, UPDATE, DELETE ON {{overlay}} TO PUBLIC;

-- For INSERT ... ON CONFLICT, over the view that the overlay has for it; a colliding row, which the view need not show, is changed by an
-- UPDATE of the conflict view.
CREATE VIEW {{upsert}} ({{columns}}) {{options}} AS SELECT {{values}} FROM {{upsert_source}} {{condition}};
GRANT SELECT, INSERT ON {{upsert}} TO PUBLIC;
CREATE VIEW {{conflict}} ({{columns}}, _stage_row) AS SELECT {{values}}, {{row}} FROM {{conflict_source}};
GRANT SELECT, UPDATE ON {{conflict}} TO PUBLIC;
{{defaults}}
