-- The rules of review: every version of the policy document. The newest counts, for all daemons.
CREATE TABLE IF NOT EXISTS stage.policy (
  version bigint PRIMARY KEY CHECK (version > 0),
  document jsonb NOT NULL CHECK (jsonb_typeof(document) = 'object'),
  -- SHA-256 of the document's text.
  hash text NOT NULL CHECK (hash ~ '^sha256:[0-9a-f]{64}$'),
  -- The OIDs of the tables that its names meant when it was set, by these names. They mean nothing where stage.overlay has another OID.
  relations jsonb NOT NULL CHECK (jsonb_typeof(relations) = 'object'),
  registry oid NOT NULL DEFAULT 'stage.overlay'::regclass,
  -- The name of the token that was shown; null where there was none.
  set_by text,
  message text,
  at timestamptz NOT NULL
);

-- The last version. An approval locks the row FOR SHARE until it ends: no version is set between its check and its commit.
CREATE TABLE IF NOT EXISTS stage.policy_head (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  version bigint NOT NULL DEFAULT 0
);
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM stage.policy_head) THEN INSERT INTO stage.policy_head DEFAULT VALUES; END IF;
END $$;

CREATE OR REPLACE FUNCTION stage.refuse_policy_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'cannot execute % on "%": versions of the policy are append-only', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE OR REPLACE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON stage.policy
FOR EACH STATEMENT EXECUTE FUNCTION stage.refuse_policy_change();
CREATE OR REPLACE TRIGGER append_only BEFORE INSERT OR DELETE OR TRUNCATE ON stage.policy_head
FOR EACH STATEMENT EXECUTE FUNCTION stage.refuse_policy_change();

REVOKE ALL ON stage.policy, stage.policy_head FROM PUBLIC;
REVOKE UPDATE, DELETE, TRUNCATE ON stage.policy FROM CURRENT_USER;
REVOKE INSERT, DELETE, TRUNCATE ON stage.policy_head FROM CURRENT_USER;
