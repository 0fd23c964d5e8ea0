-- Begins to bind the overlays to the tables of this database, under the installation lock. If each overlay matches its table by OID and by
-- name, nothing has to be moved and the rebinding is done: the stand-ins of relations are rebuilt when they are next used.
CREATE OR REPLACE FUNCTION stage.begin_rebinding() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_number int;
  v_parked oid[];
  v_free oid[];
  v_tables oid[];
BEGIN
  IF EXISTS (
    SELECT FROM stage.rebinding r WHERE r.finished_at IS NULL
      AND (r.system_identifier, r.database, r.registry) IS NOT DISTINCT FROM
        (stage.system_identifier(), (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()), 'stage.overlay'::regclass::oid))
  THEN RETURN; END IF;

  INSERT INTO stage.rebinding (number, system_identifier, database, registry, last_mutation, last_position)
  SELECT coalesce((SELECT max(r.number) FROM stage.rebinding r), 0) + 1, stage.system_identifier(), d.oid, 'stage.overlay'::regclass,
    (SELECT s.last_value FROM stage.seq s), (SELECT h."position" FROM stage.audit_head h)
  FROM pg_database d WHERE d.datname = current_database()
  RETURNING number INTO v_number;
  -- a rebinding that was interrupted, and then restored elsewhere, ends here
  UPDATE stage.rebinding SET finished_at = clock_timestamp() WHERE number < v_number AND finished_at IS NULL;
  INSERT INTO stage.former_relation
  SELECT v_number, b.relation, b.production FROM stage.bound_tables() b WHERE b.production IS NOT NULL;

  IF NOT EXISTS (SELECT FROM stage.overlay o WHERE o.moving IS NOT NULL) AND NOT EXISTS (
    SELECT FROM stage.bound_tables() b LEFT JOIN pg_class c ON c.oid = b.relation
    WHERE b.production <> b.relation OR b.production IS NULL AND c.oid IS NOT NULL)
  THEN
    PERFORM stage.mark_outdated('');
    PERFORM stage.finish_rebinding();
    RETURN;
  END IF;

  UPDATE stage.overlay SET moving = 'unchecked', writable = false WHERE moving IS DISTINCT FROM 'detached';
  -- goes through unused numbers, because the numbers of two tables may have been swapped
  SELECT array_agg(p.relation), array_agg(b.production) INTO v_parked, v_tables
  FROM (SELECT DISTINCT t.relation FROM stage.parked_table t) p LEFT JOIN stage.bound_tables() b ON b.relation = p.relation;
  FOR v_index IN 1 .. coalesce(cardinality(v_parked), 0) LOOP
    v_free[v_index] := stage.renumber_parked(v_parked[v_index], stage.free_number());
  END LOOP;
  FOR v_index IN 1 .. coalesce(cardinality(v_parked), 0) LOOP
    IF v_tables[v_index] IS NOT NULL THEN PERFORM stage.renumber_parked(v_free[v_index], v_tables[v_index]); END IF;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION stage.begin_rebinding() FROM PUBLIC;
