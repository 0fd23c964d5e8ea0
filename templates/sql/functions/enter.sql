-- First step of every staged statement: hands its text and parameters to the mutation log, pins planner settings for the
-- transaction, and verifies that the names in it still mean what the proxy took them for.
-- p_relations: [{"schema", "name", "oid", "signature"}, ...]; signature null = no overlay when the name was resolved.
CREATE OR REPLACE FUNCTION stage.enter(p_query text, p_params text, p_relations text, p_options text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_relation record;
BEGIN
  FOR v_relation IN
    SELECT r.entry, c.oid, c.relname, o.signature, o.stamp
    FROM pg_catalog.jsonb_array_elements(p_relations::pg_catalog.jsonb) r(entry)
    LEFT JOIN pg_catalog.pg_class c ON c.oid = stage.relation_named(r.entry)
    LEFT JOIN stage.overlay o ON o.relation = c.oid
  LOOP
    IF v_relation.oid IS DISTINCT FROM (v_relation.entry ->> 'oid')::pg_catalog.oid
      OR v_relation.signature IS DISTINCT FROM v_relation.entry ->> 'signature'
      OR (v_relation.signature IS NOT NULL AND v_relation.stamp IS DISTINCT FROM stage.table_stamp(v_relation.oid))
    THEN
      RAISE EXCEPTION 'the definition of relation "%" changed', v_relation.entry ->> 'name'
        USING ERRCODE = 'ST001', HINT = 'Retry the transaction.';
    END IF;
    IF v_relation.signature IS NOT NULL
      AND NOT pg_catalog.has_table_privilege(v_relation.oid, 'SELECT, INSERT, UPDATE, DELETE')
      AND NOT pg_catalog.has_any_column_privilege(v_relation.oid, 'SELECT, INSERT, UPDATE')
    THEN
      RAISE EXCEPTION 'permission denied for table %', v_relation.relname USING ERRCODE = 'insufficient_privilege';
    END IF;
  END LOOP;
  PERFORM
    pg_catalog.set_config('stage.query', p_query, true),
    pg_catalog.set_config('stage.params', p_params, true),
    pg_catalog.set_config('stage.statement', pg_catalog.nextval('stage.seq')::pg_catalog.text, true),
    -- the overlay's append has no statistics of its own: costs are over-estimated, and workers and JIT only slow it down
    pg_catalog.set_config('jit', 'off', true),
    pg_catalog.set_config('max_parallel_workers_per_gather', '0', true);
END $$;
