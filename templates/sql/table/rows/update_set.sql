-- Turns an UPDATE of the changes view into an INSERT of new versions. Filled in src/overlay/rows/load.ts.
-- guard: no column of a unique index or a foreign key is updated as a set
GRANT UPDATE ({{updatable}}) ON {{changes}} TO PUBLIC;
CREATE RULE stage_update AS ON UPDATE TO {{changes}} DO INSTEAD
INSERT INTO {{set_table}} ({{columns}}, _stage_base, {{old_columns}})
VALUES ({{new_columns}}, ROW({{old_row}})::{{row_type}}, {{old_values}});
