-- Takes staged rows along from the shadow table as it was: columns that are still there, whatever their names are now.
INSERT INTO {{shadow}} ({{columns}}{{bookkeeping}}, _stage_base)
SELECT {{kept}}{{bookkeeping}}, CASE WHEN o._stage_first THEN ROW({{kept_base}})::{{row_type}} END
FROM {{old_shadow}} o CROSS JOIN LATERAL (SELECT (o._stage_base).*) b;
DROP TABLE {{old_shadow}};
DROP TYPE {{old_row_type}};
