-- The audit: append-only and hash-chained. What a link is made of: functions chain, audit_text, approval_text.

CREATE TABLE stage.audit (
  position bigint PRIMARY KEY CHECK (position > 0),
  session uuid NOT NULL,
  project_id text NOT NULL,
  relation oid NOT NULL,
  table_name text NOT NULL,
  mutation bigint NOT NULL,
  -- The same for all changes of one row in the session: the number of its first staged version.
  lineage bigint NOT NULL,
  operation text NOT NULL CHECK (operation IN ('INSERT', 'UPDATE', 'DELETE')),
  -- The key before the change, for INSERT the new one: as text (`a,b`), and as the diff's JSON.
  row_id text NOT NULL,
  row_key jsonb NOT NULL,
  old_data jsonb,
  new_data jsonb,
  approved_at timestamptz NOT NULL,
  approved_by text,
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  CONSTRAINT audit_old_data CHECK ((operation = 'INSERT') = (old_data IS NULL)),
  CONSTRAINT audit_new_data CHECK ((operation = 'DELETE') = (new_data IS NULL))
);
CREATE INDEX audit_session ON stage.audit (session, position);
CREATE INDEX audit_project ON stage.audit (project_id, position);

-- One row for each approval. It seals the entries from first_position on.
CREATE TABLE stage.approval (
  number bigint PRIMARY KEY CHECK (number > 0),
  session uuid NOT NULL UNIQUE,
  project_id text NOT NULL,
  digest text NOT NULL CHECK (digest ~ '^sha256:[0-9a-f]{64}$'),
  first_position bigint NOT NULL CHECK (first_position > 0),
  entries bigint NOT NULL CHECK (entries >= 0),
  approved_at timestamptz NOT NULL,
  -- What the caller said, and the name of the token that was shown.
  approved_by text,
  approved_as text,
  hash bytea NOT NULL CHECK (octet_length(hash) = 32)
);

-- Where the chain ends. Every approval locks the row first, so that there is one chain and no fork.
CREATE TABLE stage.audit_head (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  -- The chain starts from it: a log that was created anew is another log.
  identity uuid NOT NULL DEFAULT gen_random_uuid(),
  position bigint NOT NULL DEFAULT 0,
  approvals bigint NOT NULL DEFAULT 0,
  hash bytea NOT NULL CHECK (octet_length(hash) = 32)
);
INSERT INTO stage.audit_head (identity, hash)
SELECT identity, sha256(convert_to('stage.audit.v1 ' || identity, 'UTF8')) FROM gen_random_uuid() AS identity;

CREATE FUNCTION stage.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'cannot execute % on "%": the audit is append-only', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON stage.audit
FOR EACH STATEMENT EXECUTE FUNCTION stage.refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON stage.approval
FOR EACH STATEMENT EXECUTE FUNCTION stage.refuse_change();
CREATE TRIGGER append_only BEFORE INSERT OR DELETE OR TRUNCATE ON stage.audit_head
FOR EACH STATEMENT EXECUTE FUNCTION stage.refuse_change();

CREATE FUNCTION stage.refuse_rewind() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.identity <> OLD.identity OR NEW.position < OLD.position OR NEW.approvals <> OLD.approvals + 1 THEN
    RAISE EXCEPTION 'the audit goes forward only' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER forward_only BEFORE UPDATE ON stage.audit_head
FOR EACH ROW EXECUTE FUNCTION stage.refuse_rewind();

REVOKE ALL ON stage.audit, stage.approval, stage.audit_head FROM PUBLIC;
-- The service account itself may only append: a bug or an injected statement meets this wall before the triggers.
REVOKE UPDATE, DELETE, TRUNCATE ON stage.audit, stage.approval FROM CURRENT_USER;
REVOKE INSERT, DELETE, TRUNCATE ON stage.audit_head FROM CURRENT_USER;

-- What an approval carries from run to run: the facts of each entry, and the end of the chain.
CREATE TYPE stage.audit_state AS (
  session uuid, project_id text, approved_at timestamptz, approved_by text, "position" bigint, hash bytea
);

-- Staged rows that are applied together: of one mutation, table, operation and origin.
CREATE TYPE stage.apply_run AS (
  relation oid, table_name text, step text, mutation bigint, operation "char", origin "char",
  first bigint, last bigint, row_count bigint, foreign_key_rank int
);
