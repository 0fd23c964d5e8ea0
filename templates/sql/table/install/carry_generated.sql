-- Recomputes generated columns. Filled in src/overlay/derived-columns.ts: `of_rows` is a WHERE clause, or empty.
UPDATE {{shadow}} s SET {{set_generated}}, _stage_base = CASE WHEN s._stage_first 
  THEN (SELECT ROW({{base}})::{{row_type}} FROM (SELECT (s._stage_base).*) b) END{{of_rows}};
