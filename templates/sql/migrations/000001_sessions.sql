-- Sessions, their mutation log, and the registry of tables that have an overlay.

CREATE SCHEMA IF NOT EXISTS stage;
CREATE SCHEMA IF NOT EXISTS stage_data;
GRANT USAGE ON SCHEMA stage TO PUBLIC;
REVOKE ALL ON SCHEMA stage_data FROM PUBLIC;

-- One sequence orders everything: a mutation's id is smaller than the numbers of the rows it staged.
CREATE SEQUENCE stage.seq;
GRANT USAGE ON SEQUENCE stage.seq TO PUBLIC;

CREATE TABLE stage.session (
  id uuid PRIMARY KEY,
  project_id text NOT NULL,
  metadata json NOT NULL CHECK (json_typeof(metadata) = 'object'),
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'proposed', 'approved', 'rejected')),
  reads text NOT NULL CHECK (reads IN ('production', 'staged')),
  conflict_scope text NOT NULL CHECK (conflict_scope IN ('row', 'column')),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  proposed_at timestamptz,
  approved_at timestamptz,
  approved_by text,
  rejected_at timestamptz,
  reason text,
  -- Names of the REST tokens that were shown for it; null where none was demanded.
  created_as text,
  proposed_as text,
  approved_as text,
  rejected_as text,
  -- Drawn from stage.seq by propose, under the lock that every writer respects: what is staged with a greater number was
  -- smuggled in, and is not approved.
  sealed bigint,
  -- Frozen by propose; while the session is active its log is counted instead.
  mutation_count bigint,
  -- The approved diff's digest: a repeated approve proves by it that it means the same change.
  digest text,
  CONSTRAINT session_proposed CHECK ((status = 'active') = (proposed_at IS NULL)),
  CONSTRAINT session_sealed CHECK ((status = 'active') = (sealed IS NULL)),
  CONSTRAINT session_counted CHECK ((status = 'active') = (mutation_count IS NULL)),
  CONSTRAINT session_approved CHECK ((status = 'approved') = (approved_at IS NOT NULL)),
  CONSTRAINT session_digested CHECK ((status = 'approved') = (digest IS NOT NULL)),
  CONSTRAINT session_approver CHECK (status = 'approved' OR approved_by IS NULL),
  CONSTRAINT session_rejected CHECK ((status = 'rejected') = (rejected_at IS NOT NULL)),
  CONSTRAINT session_reason CHECK (status = 'rejected' OR reason IS NULL)
);
CREATE INDEX session_created ON stage.session (created_at DESC, id);
CREATE INDEX session_active ON stage.session (id) WHERE status = 'active';
REVOKE ALL ON stage.session FROM PUBLIC;

-- One row for each statement, table and operation that staged at least one row.
CREATE TABLE stage.mutation (
  id bigint PRIMARY KEY,
  session uuid NOT NULL REFERENCES stage.session,
  -- The same for all mutations of one statement; it has no meaning beyond that.
  statement bigint NOT NULL,
  operation text NOT NULL CHECK (operation IN ('INSERT', 'UPDATE', 'DELETE')),
  relation oid NOT NULL,
  table_name text NOT NULL,
  query text NOT NULL,
  params jsonb NOT NULL CHECK (jsonb_typeof(params) = 'array'),
  affected_rows bigint NOT NULL CHECK (affected_rows > 0),
  executed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX mutation_session ON stage.mutation (session, id);
REVOKE ALL ON stage.mutation FROM PUBLIC;

-- One row for each production table with an overlay. It outlives the table until the overlay is dropped.
CREATE TABLE stage.overlay (
  relation oid PRIMARY KEY,
  namespace oid NOT NULL,
  schema_name text NOT NULL,
  table_name text NOT NULL,
  shown_name text NOT NULL,
  key_columns text[] NOT NULL,
  -- Unique indexes and exclusion constraints, from which the proxy infers what ON CONFLICT means.
  uniques jsonb NOT NULL,
  -- stage.table_signature when the overlay was built.
  signature text NOT NULL,
  -- Witness of columns and key: while it stays the same, a rebuild keeps the staged rows.
  layout text NOT NULL,
  -- Every table that a write to this one can reach has its overlay, too.
  writable boolean NOT NULL DEFAULT false,
  -- stage.table_stamp when the signature was last compared.
  stamp text NOT NULL,
  -- Length of the longest chain of foreign keys above the table: parents come before children.
  foreign_key_rank int NOT NULL CHECK (foreign_key_rank >= 0),
  installed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
-- Clients' connections resolve names with it; it says nothing that pg_class does not say.
GRANT SELECT ON stage.overlay TO PUBLIC;

-- One row for each view or partition that sessions read through a twin, which merges what is staged in the tables behind it.
CREATE TABLE stage.twin (
  relation oid PRIMARY KEY,
  -- stage.twin_stamp when the twin was built.
  stamp text NOT NULL,
  -- Relations that it reads as production has them, because nothing could be staged in them.
  plain oid[] NOT NULL,
  -- Views and partitions that it reads through their own twins.
  twins oid[] NOT NULL,
  -- Of a view that can be written to: the table at the bottom of it,
  target oid,
  -- that table's columns by the names that they have in the view,
  target_columns jsonb,
  -- the role whose rights on the table count, null for whoever writes,
  target_role oid,
  -- and the query that makes a row of the view of $1, a row of the table.
  of_row text
);
GRANT SELECT ON stage.twin TO PUBLIC;
