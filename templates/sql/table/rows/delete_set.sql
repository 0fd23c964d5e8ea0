-- Turns a DELETE of the changes view into an INSERT of tombstones. Filled in src/overlay/rows/load.ts.
GRANT DELETE ON {{changes}} TO PUBLIC;
CREATE RULE stage_delete AS ON DELETE TO {{changes}} DO INSTEAD
INSERT INTO {{set_table}} ({{columns}}, _stage_base, {{old_columns}})
VALUES ({{old_row}}, ROW({{old_row}})::{{row_type}}, {{old_values}});
