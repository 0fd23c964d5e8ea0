-- Of each value of a row that its JSON does not tell from others, PostgreSQL's own text: JSON null beside NULL, json as it is
-- written, bounds of arrays, -0. It is for FROM, where the planner puts the query in its place. Everything is qualified: it runs under
-- production's search_path, too.
CREATE FUNCTION {{function}}({{row_type}}) RETURNS TABLE (texts jsonb) LANGUAGE sql STABLE PARALLEL SAFE AS {{body}};
REVOKE ALL ON FUNCTION {{function}}({{row_type}}) FROM PUBLIC
