-- Of each value of a row that its JSON does not tell from others, PostgreSQL's own text: JSON null beside NULL, json as it is
-- written, bounds of arrays, -0. Everything is qualified: it runs under production's search_path, too.
CREATE FUNCTION {{function}}({{row_type}}) RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE AS {{body}};
REVOKE ALL ON FUNCTION {{function}}({{row_type}}) FROM PUBLIC
