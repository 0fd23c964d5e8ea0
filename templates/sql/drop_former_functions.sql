-- Drops the functions of the schema stage that the running transaction has not made anew: no file defines them any more. What was made for
-- tables by the release that had them may still need one; it goes with a later upgrade.
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
