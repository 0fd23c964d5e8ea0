-- Returns whether the policies of a table, if they read other tables, and all that they call and read, are as they were when they were
-- followed (src/overlay/install/install-policies.ts).
CREATE OR REPLACE FUNCTION stage.policies_fit(p_relation oid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN NOT EXISTS (
    SELECT FROM stage.overlay o WHERE o.relation OPERATOR(pg_catalog.=) p_relation AND o.policy_stamp IS NOT NULL
      AND o.policy_stamp OPERATOR(pg_catalog.<>) stage.function_stamp(o.policy_uses, ARRAY['pg_catalog'::pg_catalog.regnamespace::pg_catalog.oid]));
END $$;
