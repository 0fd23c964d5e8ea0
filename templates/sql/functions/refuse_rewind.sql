-- Refuses to move the end of the audit back. The trigger of stage.audit_head.
CREATE OR REPLACE FUNCTION stage.refuse_rewind() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.identity <> OLD.identity OR NEW.position < OLD.position OR NEW.approvals <> OLD.approvals + 1 THEN
    RAISE EXCEPTION 'the audit goes forward only' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
