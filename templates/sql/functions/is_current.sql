-- Whether a name still stands for the relation that the proxy took it for, and that relation's overlay for what it is now.
-- p_entry: {"schema": null | text, "name", "oid", "signature"}; signature null = no overlay when the name was resolved.
CREATE OR REPLACE FUNCTION stage.is_current(p_entry jsonb) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_relation oid := stage.relation_named(p_entry);
  v_signature text;
  v_is_stale boolean;
BEGIN
  -- every statement of SQL costs here: what an expression can tell is asked by one
  SELECT o.signature, o.stamp <> stage.table_stamp(v_relation) INTO v_signature, v_is_stale
  FROM stage.overlay o WHERE o.relation = v_relation;
  IF NOT FOUND THEN
    v_signature := stage.signature_of(v_relation);
  END IF;
  RETURN v_relation IS NOT DISTINCT FROM (p_entry ->> 'oid')::pg_catalog.oid
    AND v_signature IS NOT DISTINCT FROM p_entry ->> 'signature'
    AND v_is_stale IS NOT TRUE
    AND NOT stage.twin_is_stale(v_relation);
END $$;
