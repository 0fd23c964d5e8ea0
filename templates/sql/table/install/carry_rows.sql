-- Copies staged rows from the former shadow table: columns that still exist, whatever their names are now.
-- Filled in src/overlay/install/carry-over.ts: `carried`, `carried_base` and `kept_given` are the former columns, as values of the
-- new ones.
INSERT INTO {{shadow}} ({{columns}}{{bookkeeping}}, _stage_base, _stage_given)
SELECT {{carried}}{{bookkeeping}}, CASE WHEN o._stage_first THEN ROW({{carried_base}})::{{row_type}} END,
  CASE WHEN o._stage_given IS DISTINCT FROM NULL THEN ROW({{kept_given}})::{{row_type}} END
FROM {{old_shadow}} o CROSS JOIN LATERAL (SELECT (o._stage_base).*) b CROSS JOIN LATERAL (SELECT (o._stage_given).*) g;
DROP TABLE {{old_shadow}};
DROP TYPE {{old_row_type}};
