-- Returns the name of a table with rows in the session that decide nothing about what runs with the rights of an owner: a client could not
-- have written them in production. NULL without such rows in what the code reads or writes. p_relations: the relations that it, and what it
-- calls, reads or writes; p_written: those that it writes to.
-- A role that may only read a table stages rows in it for others to approve. In production they would not be there.
CREATE OR REPLACE FUNCTION stage.rows_beyond_right(p_session uuid, p_relations oid[], p_written oid[]) RETURNS name
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT c.relname
  FROM stage.staged_table t JOIN pg_class c ON c.oid = t.relation
  WHERE t.session = p_session
    -- guard: code with its owner's rights reads no rows that a client could not write
    AND (NOT t.by_right
      -- guard: code with its owner's rights reads no rows that a trigger of production would refuse
      OR NOT stage.fires_all(t.relation)
      -- guard: a trigger that did not fire with its owner's rights counts as one that would refuse
      OR EXISTS (SELECT FROM stage.overlay o WHERE o.relation = t.relation AND o.triggers @> '[{"asOwner": true}]')
        AND EXISTS (SELECT FROM stage.staged_table b WHERE b.session = p_session AND NOT b.by_right)
      OR NOT (SELECT s.has_tables FROM stage.session s WHERE s.id = p_session))
    AND (t.relation = ANY (p_relations)
      -- guard: what views and trees read counts for code with its owner's rights
      OR EXISTS (SELECT FROM pg_class r WHERE r.oid = ANY (p_relations) AND (r.relkind NOT IN ('r', 'p') OR r.relispartition OR r.relkind = 'r' AND r.relhassubclass))
      -- guard: what triggers read counts for code with its owner's rights
      OR EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = ANY (p_written) AND NOT g.tgisinternal AND g.tgenabled <> 'D')
    )
  LIMIT 1
$$;
REVOKE ALL ON FUNCTION stage.rows_beyond_right(uuid, oid[], oid[]) FROM PUBLIC;
