-- Returns the message of PostgreSQL's error for locking the rows of relations that the caller may write to, but not UPDATE; NULL if there
-- are none. A role that may only read stages for others to approve (see stage.has_rights), so it may lock, too. A name that means nothing
-- is left to the statement. Takes [{"schema": null | text, "name": text}, ...].
CREATE OR REPLACE FUNCTION stage.lock_denied(p_names jsonb) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT pg_catalog.concat('permission denied for ', CASE WHEN c.relkind OPERATOR(pg_catalog.=) 'v' THEN 'view' ELSE 'table' END, ' ', c.relname)
  FROM pg_catalog.jsonb_array_elements(p_names) WITH ORDINALITY n(entry, position)
  JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) stage.relation_named(n.entry)
  WHERE NOT pg_catalog.has_any_column_privilege(c.oid, 'UPDATE')
    AND (pg_catalog.has_table_privilege(c.oid, 'INSERT, DELETE') OR pg_catalog.has_any_column_privilege(c.oid, 'INSERT'))
  ORDER BY n.position LIMIT 1
$$;
