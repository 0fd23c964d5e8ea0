-- Foreign keys in which a table is the child (p_side 'child') or the parent ('parent'), as a JSON array in the order in
-- which PostgreSQL judges them: that of the names of their triggers.
-- Partitions' copies of a root's constraint are left out: the root is what is staged.
CREATE OR REPLACE FUNCTION stage.foreign_keys(p_relation oid, p_side text) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object(
      'name', c.conname,
      'child', stage.foreign_key_end(c.conrelid, c.conkey),
      'parent', stage.foreign_key_end(c.confrelid, c.confkey),
      'equals', (SELECT jsonb_agg(format('OPERATOR(%I.%s)', n.nspname, o.oprname) ORDER BY u.ord)
                   FROM unnest(c.conpfeqop) WITH ORDINALITY u(op, ord)
                   JOIN pg_operator o ON o.oid = u.op JOIN pg_namespace n ON n.oid = o.oprnamespace),
      'parentEquals', (SELECT jsonb_agg(format('OPERATOR(%I.%s)', n.nspname, o.oprname) ORDER BY u.ord)
                         FROM unnest(c.conppeqop) WITH ORDINALITY u(op, ord)
                         JOIN pg_operator o ON o.oid = u.op JOIN pg_namespace n ON n.oid = o.oprnamespace),
      'hasPeriod', coalesce((to_jsonb(c) ->> 'conperiod')::boolean, false),
      'matchFull', c.confmatchtype = 'f',
      'onDelete', stage.foreign_key_action(c.confdeltype),
      'onDeleteColumns', stage.foreign_key_end(c.conrelid, coalesce(c.confdelsetcols, c.conkey)) -> 'columns',
      'onUpdate', stage.foreign_key_action(c.confupdtype),
      'deferrable', c.condeferrable,
      'deferred', c.condeferred
    ) ORDER BY (
      SELECT CASE p_side WHEN 'child' THEN max(t.tgname COLLATE "C") ELSE min(t.tgname COLLATE "C") END
      FROM pg_trigger t WHERE t.tgconstraint = c.oid AND t.tgrelid = p_relation), c.oid), '[]')
  FROM pg_constraint c
  WHERE c.contype = 'f' AND c.conparentid = 0
    AND CASE p_side WHEN 'child' THEN c.conrelid ELSE c.confrelid END = p_relation
    AND coalesce((to_jsonb(c) ->> 'conenforced')::boolean, true)
$$;
