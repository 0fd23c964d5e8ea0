-- Passes an ON CONFLICT clause of a copy to the view that receives the rows of the next statement. Returns true.
-- p_conflict: as in src/rewrite/write-options.ts; the numbers in its parts are those of p_values, which stage.captured returned.
-- Runs with the rights of whoever runs the copy, which are checked here for DO UPDATE: the view's own check is for INSERT.
CREATE OR REPLACE FUNCTION stage.begin_conflict(p_relation oid, p_conflict text, p_values text[]) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_conflict jsonb := p_conflict;
  v_part text;
  v_client name := coalesce(nullif(current_setting('role'), 'none'), session_user);
BEGIN
  -- the search for the row that is in the way cannot tell whose rights the copy has, and demands those of the client
  IF current_user <> v_client AND NOT has_table_privilege(v_client, p_relation, 'SELECT') THEN
    RAISE EXCEPTION 'cannot stage ON CONFLICT of a function with its owner''s rights in "%", which the client may not read', (SELECT c.relname FROM pg_class c WHERE c.oid = p_relation)
      USING ERRCODE = 'feature_not_supported', HINT = 'GRANT SELECT on the table to the role that connects.';
  END IF;
  -- guard: DO UPDATE of a copy needs the right to update, whether or not a row is in the way
  IF v_conflict ->> 'action' = 'update' AND has_any_column_privilege(p_relation, 'INSERT, UPDATE') AND NOT has_table_privilege(p_relation, 'UPDATE') THEN
    RAISE EXCEPTION 'permission denied for table %', (SELECT c.relname FROM pg_class c WHERE c.oid = p_relation) USING ERRCODE = 'insufficient_privilege';
  END IF;
  -- guard: a trigger that fires before the rows of a statement does not replace the clause of that statement
  IF coalesce(current_setting('stage.firing', true), '') <> '' AND nullif(current_setting('stage.options', true), '')::jsonb ? ('stage.conflict_' || p_relation) THEN
    RAISE EXCEPTION 'cannot stage what a BEFORE trigger upserts into "%" while the statement does so, too', (SELECT c.relname FROM pg_class c WHERE c.oid = p_relation)
      USING ERRCODE = 'feature_not_supported', HINT = 'Write to the other table by a statement of its own.';
  END IF;
  FOREACH v_part IN ARRAY ARRAY['set', 'where'] LOOP
    CONTINUE WHEN NOT v_conflict ? v_part;
    v_conflict := jsonb_set(v_conflict, ARRAY[v_part], (
      SELECT jsonb_agg(CASE WHEN jsonb_typeof(p.piece) = 'number' THEN to_jsonb(p_values[n.number]) ELSE p.piece END ORDER BY p.place)
      FROM jsonb_array_elements(v_conflict -> v_part) WITH ORDINALITY p(piece, place),
        LATERAL (SELECT CASE WHEN jsonb_typeof(p.piece) = 'number' THEN p.piece::int4 END) n(number)));
  END LOOP;
  PERFORM set_config('stage.conflict_' || p_relation, v_conflict::text, true);
  RETURN true;
END $$;
