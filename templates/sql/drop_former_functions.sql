-- Drops the functions of the schema stage that the running transaction has not created again: no file defines them any more. Objects that
-- an earlier release made for tables may still need one; a later upgrade drops it.
DO $$
DECLARE
  v_function regprocedure;
BEGIN
  FOR v_function IN
    SELECT p.oid FROM pg_proc p
    WHERE p.pronamespace = 'stage'::regnamespace AND p.xmin <> pg_current_xact_id()::xid
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid)
  LOOP
    EXECUTE format('DROP ROUTINE %s', v_function);
  END LOOP;
END $$;
