-- Returns the foreign keys in which a table is the child (p_side 'child') or the parent ('parent'), as a JSON array in the order in which
-- PostgreSQL checks them: that of the names of their triggers.
-- Partitions' copies of a root's constraint are left out. A key that was declared on a partition belongs to its root, for the rows of the
-- partition only; keys that were declared on several partitions in the same way are one, unless SET CONSTRAINTS can tell them apart.
-- A partitioned table may have a thousand partitions and a catalog ten thousand keys: they are hashed, whatever the caller has set.
CREATE OR REPLACE FUNCTION stage.foreign_keys(p_relation oid, p_side text) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_hashjoin = on AS $$
BEGIN
  RETURN (
    WITH tree AS (
      SELECT p_relation AS relation
      UNION
      SELECT t.relid FROM pg_class c CROSS JOIN LATERAL pg_partition_tree(c.oid) t WHERE c.oid = p_relation AND c.relkind = 'p'
    ), declared AS (
      SELECT c.oid, c.conname, stage.foreign_key_end(c.conrelid, c.conkey) AS child,
        (SELECT CASE p_side WHEN 'child' THEN max(t.tgname COLLATE "C") ELSE min(t.tgname COLLATE "C") END
           FROM pg_trigger t WHERE t.tgconstraint = c.oid AND t.tgrelid = c.relation) AS place,
        jsonb_build_object(
          'parent', stage.foreign_key_end(c.confrelid, c.confkey),
          'equals', stage.operators_named(c.conpfeqop),
          'parentEquals', stage.operators_named(c.conppeqop),
          'hasPeriod', coalesce((to_jsonb(c) ->> 'conperiod')::boolean, false),
          'matchFull', c.confmatchtype = 'f',
          'onDelete', stage.foreign_key_action(c.confdeltype),
          'onDeleteColumns', stage.foreign_key_end(c.conrelid, coalesce(c.confdelsetcols, c.conkey)) -> 'columns',
          'onUpdate', stage.foreign_key_action(c.confupdtype),
          'deferrable', c.condeferrable,
          'deferred', c.condeferred) AS rules
      -- OFFSET 0: keys of other tables are not read
      FROM (
        SELECT k.*, e.relation FROM pg_constraint k
        CROSS JOIN LATERAL (SELECT CASE p_side WHEN 'child' THEN k.conrelid ELSE k.confrelid END AS relation) e
        WHERE k.contype = 'f' AND k.conparentid = 0 AND e.relation IN (SELECT t.relation FROM tree t) OFFSET 0) c
      WHERE coalesce((to_jsonb(c) ->> 'conenforced')::boolean, true)
    ), keys AS (
      SELECT min(d.place) AS place, min(d.oid) AS oid, d.rules || jsonb_build_object(
        'name', (array_agg(d.conname ORDER BY d.place, d.oid))[1],
        'constraints', jsonb_agg(d.oid::bigint ORDER BY d.place, d.oid),
        'child', CASE WHEN p.own THEN jsonb_set(p.child, '{partitions,oids}', jsonb_agg(d.child #> '{partitions,oids,0}' ORDER BY d.place, d.oid))
                      ELSE p.child END) AS key
      FROM declared d
      CROSS JOIN LATERAL (SELECT jsonb_typeof(d.child -> 'partitions') = 'object' AS own) o
      CROSS JOIN LATERAL (SELECT o.own, CASE WHEN o.own THEN d.child #- '{partitions,oids}' ELSE d.child END AS child) p
      GROUP BY d.rules, p.own, p.child, CASE WHEN NOT p.own OR (d.rules -> 'deferrable')::boolean THEN d.oid END
    )
    SELECT coalesce(jsonb_agg(k.key ORDER BY k.place, k.oid), '[]') FROM keys k
  );
END $$;
