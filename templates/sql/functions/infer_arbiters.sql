-- Returns the unique indexes that PostgreSQL's planner infers for an ON CONFLICT clause; an index may follow from the clause without
-- matching it word by word. Returns NULL if the planner infers none, or the clause is invalid; an empty array where the caller has no right
-- to insert into the relation, so that nothing is disclosed. Runs with the caller's rights, and releases the locks that planning takes.
-- p_words: the text between ON CONFLICT and DO, from its first word to its last. p_alias: the relation's alias in it, or NULL.
CREATE OR REPLACE FUNCTION stage.infer_arbiters(p_relation oid, p_words text, p_alias text) RETURNS pg_catalog.json
LANGUAGE plpgsql AS $$
DECLARE
  v_plan pg_catalog.json;
BEGIN
  EXECUTE pg_catalog.concat('EXPLAIN (FORMAT JSON, COSTS OFF) INSERT INTO ', p_relation::pg_catalog.regclass,
    ' AS ' OPERATOR(pg_catalog.||) pg_catalog.quote_ident(p_alias), ' DEFAULT VALUES ON CONFLICT ', p_words, ' DO NOTHING') INTO STRICT v_plan;
  RAISE EXCEPTION USING ERRCODE = 'ST006';
EXCEPTION
  WHEN SQLSTATE 'ST006' THEN RETURN v_plan OPERATOR(pg_catalog.#>) '{0,Plan,Conflict Arbiter Indexes}';
  WHEN insufficient_privilege THEN RETURN '[]';
  WHEN OTHERS THEN RETURN NULL;
END $$;
