-- Whether a name still stands for the relation that the proxy took it for, and that relation's overlay for what it is now.
-- p_entry: {"schema": null | text, "name", "oid", "signature"}; signature null = no overlay when the name was resolved. A name with ONLY
-- has "only": true, one that stands for a table and its children "tree", the signature of these (see tree_state).
CREATE OR REPLACE FUNCTION stage.is_current(p_entry jsonb) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_relation oid := stage.relation_named(p_entry);
  v_signature text;
  v_is_stale boolean;
  v_tree jsonb;
BEGIN
  -- every statement of SQL costs here: what an expression can tell is asked by one
  SELECT o.signature, o.stamp <> stage.table_stamp(v_relation) INTO v_signature, v_is_stale
  FROM stage.overlay o WHERE o.relation = v_relation;
  IF NOT FOUND THEN
    v_signature := stage.signature_of(v_relation);
    v_is_stale := NOT p_entry ?| '{tree,only}' AND EXISTS (
      SELECT FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhparent WHERE c.oid = v_relation AND c.relkind = 'r');
  END IF;
  IF p_entry ? 'tree' THEN
    v_tree := stage.tree_state(v_relation);
    v_is_stale := v_is_stale OR v_tree IS NULL OR (v_tree ->> 'stale')::pg_catalog.bool
      OR v_tree ->> 'signature' IS DISTINCT FROM p_entry ->> 'tree';
  END IF;
  RETURN v_relation IS NOT DISTINCT FROM (p_entry ->> 'oid')::pg_catalog.oid
    AND v_signature IS NOT DISTINCT FROM p_entry ->> 'signature'
    AND v_is_stale IS NOT TRUE
    AND NOT stage.twin_is_stale(v_relation);
END $$;
