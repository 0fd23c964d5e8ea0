-- Returns PostgreSQL's own text of each value of a row that its JSON does not distinguish from others: JSON null beside NULL, json as it is
-- written, bounds of arrays, -0. It is called in FROM, where the planner inlines it. Everything is qualified: it runs under production's
-- search_path, too.
-- Filled in src/overlay/approval/exact-texts.ts: `body` is the query as a literal.
CREATE FUNCTION {{function}}({{row_type}}) RETURNS TABLE (texts jsonb) LANGUAGE sql STABLE PARALLEL SAFE AS {{body}};
REVOKE ALL ON FUNCTION {{function}}({{row_type}}) FROM PUBLIC
