UPDATE {{shadow}} s SET {{set_generated}}, _stage_base = CASE WHEN s._stage_first THEN ROW({{base}})::{{row_type}} END{{of_rows}};
