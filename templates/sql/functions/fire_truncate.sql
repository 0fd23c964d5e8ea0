-- Fires the copies of the triggers for TRUNCATE, with the client's rights, in the order of the tables: all before the first table is
-- emptied, or all after the last one. Those of a table fire at a deletion of none of its rows, by the setting stage.truncates.
-- p_when: 'before' or 'after'.
CREATE OR REPLACE FUNCTION stage.fire_truncate(p_relations oid[], p_when text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_relation oid;
BEGIN
  FOR v_relation IN
    SELECT r.relation FROM unnest(p_relations) WITH ORDINALITY r (relation, place)
    WHERE EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = r.relation AND t.tgtype & 32 <> 0 AND t.tgenabled IN ('O', 'A'))
      -- rows of a partition are staged in the table at the top: its triggers do not fire while staging
      AND pg_partition_root(r.relation) IS NULL
    ORDER BY r.place
  LOOP
    PERFORM set_config('stage.check_later', 'on', true), set_config('stage.truncates', p_when, true);
    EXECUTE concat('DELETE FROM ', stage.overlay_of(v_relation), ' WHERE false');
    PERFORM set_config('stage.check_later', '', true), set_config('stage.truncates', '', true);
  END LOOP;
END $$;
