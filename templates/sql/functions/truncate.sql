-- Stages TRUNCATE as the deletion of every row: no action of a foreign key fires, because referring tables are truncated, too.
-- Runs with the client's rights, and under its search_path, by which the names are looked up.
-- p_names: [{"schema": null | text, "name": text, "only": boolean}, ...], as written.
CREATE OR REPLACE PROCEDURE stage.truncate(p_names pg_catalog.text, p_cascade pg_catalog.bool)
LANGUAGE plpgsql AS $$
DECLARE
  v_name pg_catalog.jsonb;
  v_only pg_catalog.bool;
  v_relation pg_catalog.oid;
  v_staged pg_catalog.oid;
  v_is_named pg_catalog.bool;
  v_relations pg_catalog.oid[] := '{}';
  v_referring pg_catalog.oid[];
BEGIN
  FOR v_name IN SELECT value FROM pg_catalog.jsonb_array_elements(p_names::pg_catalog.jsonb) LOOP
    v_only := (v_name OPERATOR(pg_catalog.->>) 'only')::pg_catalog.bool;
    -- unlike stage.relation_named, this raises PostgreSQL's error for a name that does not exist
    v_relation := pg_catalog.concat_ws('.', pg_catalog.quote_ident(v_name OPERATOR(pg_catalog.->>) 'schema'),
      pg_catalog.quote_ident(v_name OPERATOR(pg_catalog.->>) 'name'))::pg_catalog.regclass;
    PERFORM stage.check_truncate(v_relation, v_only);
    v_relations := pg_catalog.array_cat(v_relations, ARRAY(SELECT t FROM stage.truncated_tables(v_relation, v_only) t));
  END LOOP;

  PERFORM stage.demand_truncatable(v_relations);
  LOOP
    v_referring := ARRAY(SELECT r FROM stage.referring_tables(v_relations) r);
    EXIT WHEN pg_catalog.cardinality(v_referring) OPERATOR(pg_catalog.=) 0;
    IF NOT p_cascade THEN
      PERFORM stage.raise_referred(v_relations);
    END IF;
    PERFORM stage.demand_truncatable(v_referring);
    FOREACH v_relation IN ARRAY v_referring LOOP
      RAISE NOTICE 'truncate cascades to table "%"', (SELECT c.relname FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) v_relation);
      PERFORM stage.check_truncate(v_relation, false);
    END LOOP;
    v_relations := pg_catalog.array_cat(v_relations, v_referring);
  END LOOP;
  PERFORM stage.refuse_cycle(v_relations);
  PERFORM stage.fire_truncate(v_relations, 'before');

  FOR v_relation IN SELECT t FROM stage.in_order_of_deletion(v_relations) t LOOP
    v_staged := coalesce(pg_catalog.pg_partition_root(v_relation), v_relation);
    -- a named partition has a view of its own, with rights of its own
    v_is_named := v_staged OPERATOR(pg_catalog.<>) v_relation AND stage.overlay_of(v_relation) IS NOT NULL AND NOT stage.is_stale(v_relation)
      AND EXISTS (SELECT FROM stage.staged_view t WHERE t.relation OPERATOR(pg_catalog.=) v_relation AND t.target OPERATOR(pg_catalog.=) v_staged);
    -- PostgreSQL would remove rows that the role does not see, too
    IF NOT v_is_named AND pg_catalog.row_security_active(v_staged) THEN
      RAISE EXCEPTION 'cannot stage TRUNCATE of "%": it has row-level security', v_relation::pg_catalog.regclass
        USING ERRCODE = 'feature_not_supported', HINT = 'Use DELETE, which removes the rows that the role may delete.';
    END IF;
    PERFORM pg_catalog.set_config('stage.check_later', 'on', true), pg_catalog.set_config('stage.truncates', 'on', true);
    -- of a partition that is truncated without the others, only its own rows
    EXECUTE pg_catalog.concat('DELETE FROM ', stage.overlay_of(CASE WHEN v_is_named THEN v_relation ELSE v_staged END),
      CASE WHEN NOT v_is_named AND v_staged OPERATOR(pg_catalog.<>) v_relation THEN ' WHERE ' OPERATOR(pg_catalog.||) coalesce(pg_catalog.pg_get_partition_constraintdef(v_relation), 'true') END);
    PERFORM pg_catalog.set_config('stage.check_later', '', true), pg_catalog.set_config('stage.truncates', '', true);
  END LOOP;
  PERFORM stage.fire_truncate(v_relations, 'after');
END $$;
