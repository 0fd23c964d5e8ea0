-- Copies staged rows from the former shadow table: columns that still exist, whatever their names are now.
-- Filled in src/overlay/install/carry-over.ts: `kept` and `kept_base` are the former columns, as values of the present ones.
INSERT INTO {{shadow}} ({{columns}}{{bookkeeping}}, _stage_base)
SELECT {{kept}}{{bookkeeping}}, CASE WHEN o._stage_first THEN ROW({{kept_base}})::{{row_type}} END
FROM {{old_shadow}} o CROSS JOIN LATERAL (SELECT (o._stage_base).*) b;
DROP TABLE {{old_shadow}};
DROP TYPE {{old_row_type}};
